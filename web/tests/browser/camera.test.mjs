// A camera that cannot lose the scene.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from '../load.mjs';
import { putObjectAt } from './doctored.mjs';
import { staysInView } from './free_area.mjs';
import { studioForTests } from './studio_for_tests.mjs';

const { JOINTS } = await load('xr/joints');
/** The ball's place among the objects of its scene. */
const BALL = 1;

const studios = studioForTests();

/** Where the camera looks, metres and radians. */
async function camera(studio) {
  const [x, y, z, distance, azimuth, elevation, fov] = (await studio.data('camera')).split(' ').map(Number);
  return { x, y, z, distance, azimuth, elevation, fov };
}

test('a page that opens after the ball fell shows the hand', async (context) => {
  const studio = await studios.open(context, { init: [putObjectAt(BALL, -37)] });
  await studio.until(() => Number(document.querySelector('#view').dataset.height) < -30);
  await staysInView(studio, 'hand');
  const { distance } = await camera(studio);
  assert.ok(distance < 1.5, `the camera is ${distance} m away`);
  await studio.picture('camera-after-a-fall');
  assert.deepEqual(studio.problems, []);
});

test('what is not a number moves no camera', async (context) => {
  const studio = await studios.open(context, { init: [putObjectAt(BALL, Number.NaN)] });
  await studio.frames(3);
  await staysInView(studio, 'hand');
  assert.ok(Object.values(await camera(studio)).every(Number.isFinite));
});

test('a lifted ball stays in the picture', async (context) => {
  const studio = await studios.open(context, { width: 1000, height: 620 });
  await studio.until(() => Number(document.querySelector('#view').dataset.height) > 0.12);
  await staysInView(studio, 'object');
  await staysInView(studio, 'hand');
  await studio.picture('camera-lifted');
});

test('a hand that is raised as far as it goes is followed', async (context) => {
  const studio = await studios.open(context, { width: 900, height: 600 });
  await studio.frames(2);
  await studio.page.keyboard.down('ArrowUp');
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
  await studio.elapse(2.5);
  await studio.page.keyboard.up('ArrowUp');
  await staysInView(studio, 'hand');
  await studio.picture('camera-raised');
  // Back to the script, for who comes next.
  await studio.page.click('[data-mode="script"]');
});

test('views of the hand are a button or a key away', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  const arrive = async (act) => {
    await act();
    await studio.frames((await studio.number('frames')) + 3);
    await staysInView(studio, 'hand');
    const { azimuth, elevation } = await camera(studio);
    return [Math.cos(azimuth) * Math.cos(elevation), Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation)];
  };
  /** Between two directions, radians; a hand that moves turns its views a little. */
  const between = (a, b) => Math.acos(Math.min(1, a.reduce((sum, value, k) => sum + value * b[k], 0)));
  const views = [];
  for (const preset of ['thumb', 'palm', 'first-person']) views.push(await arrive(() => studio.page.click(`[data-preset="${preset}"]`)));
  views.push(await arrive(() => studio.page.keyboard.press('0')));
  views.forEach((view, k) => views.slice(k + 1).forEach((other) => assert.ok(between(view, other) > 0.4, `views ${k} and another are the same`)));
  for (const [k, key] of ['6', '7', '8'].entries()) {
    const view = await arrive(() => studio.page.keyboard.press(key));
    assert.ok(between(view, views[k]) < 0.2, `key ${key} looks elsewhere than its button`);
  }
  assert.deepEqual(studio.problems, []);
});

test('a recording at head height, without numbers at first, is in the picture', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  const file = join(tmpdir(), `thenar-head-height-${process.pid}.json`);
  writeFileSync(file, JSON.stringify(headHeightRecording()));
  await studio.page.setInputFiles('input[type="file"]', file);
  await studio.until(() => document.querySelector('#view').dataset.scene === 'recording');
  await studio.until(() => document.querySelector('#view').dataset.hand !== undefined);
  await staysInView(studio, 'hand');
  await studio.picture('camera-head-height');
  const { x, y } = await camera(studio);
  assert.ok(y > 1 && x > 0.2, `the camera looks at ${x}, ${y}`);
  assert.deepEqual(studio.problems, []);
});

/** An open right hand that waves a little, 1.4 m above the floor and beside the middle of the room, seen only after a third of a second. */
function headHeightRecording() {
  const across = { thumb: -0.045, index: -0.024, middle: 0, ring: 0.021, pinky: 0.04 };
  const ahead = { metacarpal: 0.03, 'phalanx-proximal': 0.085, 'phalanx-intermediate': 0.125, 'phalanx-distal': 0.148, tip: 0.168 };
  const place = (joint) => {
    if (joint === 'wrist') return [0, 0, 0];
    const digit = joint.split('-')[0];
    const bone = joint.replace(/^\w+-(finger-)?/, '');
    return digit === 'thumb' ? [across.thumb * (0.4 + 6 * ahead[bone]), -0.01, -0.7 * ahead[bone]] : [across[digit] * (0.6 + 4 * ahead[bone]), 0, -ahead[bone]];
  };
  const frames = [];
  for (let k = 0; k < 90; k++) {
    const t = k / 30;
    const lift = 1.4 + 0.03 * Math.sin(3 * t);
    const p = JOINTS.flatMap((joint) => {
      const [x, y, z] = place(joint);
      return [0.45 + x, lift + y, -0.3 + z];
    });
    frames.push([t, k < 10 ? {} : { right: { p } }]);
  }
  return { format: 'handrec-1', joints: JOINTS, frames };
}
