// Every scene of the list as a stranger opens it: nothing blank, something moves, play by mouse reaches an object.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATIENCE } from './patience.mjs';
import { studioForTests } from './studio_for_tests.mjs';

let studio;
let scenes;

studioForTests(async (studios) => {
  // A small picture: what is asked is whether there is one.
  studio = await studios.openForAll({ width: 900, height: 640, query: '?quality=low' });
  await studio.frames(2);
  scenes = await studio.page.$$eval('#scenes [data-scene]', (cards) => cards.map((card) => card.dataset.scene));
});

test('every scene shows a picture in which something moves', async (context) => {
  assert.ok(scenes.length > 20, `${scenes.length} scenes`);
  for (const scene of scenes) {
    await context.test(scene, async () => {
      await open(scene);
      const { colours, moved } = await studio.page.evaluate(look, PATIENCE / 4);
      assert.ok(colours > 40, `only ${colours} colours: the picture is blank`);
      assert.ok(moved, 'nothing moves');
      assert.deepEqual(studio.problems.splice(0), []);
    });
  }
});

test('in every scene the mouse takes the hand to an object', async (context) => {
  await studio.page.click('[data-mode="mouse"]');
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
  for (const scene of scenes) {
    await context.test(scene, async () => {
      await open(scene);
      const before = await studio.number('gap');
      if (Number.isNaN(before)) return; // no thing but the hand itself
      const reached = await studio.page.evaluate(reach, PATIENCE / 4);
      assert.ok(reached < 0.09, `the palm came from ${before} m to ${reached} m`);
      assert.deepEqual(studio.problems.splice(0), []);
    });
  }
});

test('cases of a scene are a gallery', async () => {
  await studio.page.click('[data-mode="script"]');
  await studio.page.click('#scenes [data-scene="ycb-set"]');
  await studio.until(() => document.querySelector('#view').dataset.scene === 'ycb-set');
  const cases = await studio.page.$$eval('.cases:not([hidden]) [data-case]', (chips) => chips.map((chip) => chip.dataset.case));
  assert.equal(cases.length, 12);
  const run = await studio.data('run');
  await studio.page.click('.cases:not([hidden]) [data-case="banana"]');
  await studio.begunAfter(run);
  await studio.until(() => document.querySelector('.cases:not([hidden]) [aria-pressed="true"]')?.dataset.case === 'banana');
  await studio.picture('cases');
});

test('the picture stays while one hand after the other is built', async () => {
  await open('ball');
  const run = await studio.data('run');
  const least = await studio.page.evaluate(leastWood, { hands: ['child', 'adult-small', 'adult'], patience: PATIENCE / 4 });
  await studio.begunAfter(run);
  assert.ok(least > 0.05, `wood and skin cover only ${(100 * least).toFixed(1)} % of the picture: it was blank`);
  assert.deepEqual(studio.problems.splice(0), []);
});

/** Opens a scene, if it is not open, and waits for its first frames. */
async function open(scene) {
  const run = await studio.data('run');
  await studio.page.click(`#scenes [data-scene="${scene}"]`);
  await studio.begunAfter(run);
  await studio.until((wanted) => document.querySelector('#view').dataset.scene === wanted, scene);
  await studio.frames((await studio.number('frames')) + 2);
}

/** How many different colours the picture has, and whether it changes or its world does. Runs in the page. */
async function look(patience) {
  const canvas = document.querySelector('#view');
  const read = async () => {
    const bitmap = await new Promise((resolve) => requestAnimationFrame(() => resolve(createImageBitmap(canvas))));
    const pen = new OffscreenCanvas(120, 80).getContext('2d');
    pen.drawImage(bitmap, 0, 0, 120, 80);
    return pen.getImageData(0, 0, 120, 80).data;
  };
  const count = (picture) => {
    const colours = new Set();
    for (let k = 0; k < picture.length; k += 4) if (picture[k + 3] > 0) colours.add((picture[k] >> 3) * 1024 + (picture[k + 1] >> 3) * 32 + (picture[k + 2] >> 3));
    return colours.size;
  };
  const end = performance.now() + patience;
  let colours = 0;
  let first;
  let moved = false;
  while ((colours <= 40 || !moved) && performance.now() < end) {
    const picture = await read();
    if (picture[3] === 0) continue; // between two pictures the canvas reads as transparent
    colours = Math.max(colours, count(picture));
    first ??= picture;
    let changed = 0;
    for (let k = 0; k < picture.length; k += 4) if (Math.abs(picture[k] - first[k]) + Math.abs(picture[k + 2] - first[k + 2]) > 24) changed++;
    moved = changed > 12;
  }
  return { colours, moved };
}

/** Chooses hands as fast as one can click; the least share of the picture that is warm, wood or skin, until the last is there. Runs in the page. */
async function leastWood({ hands, patience }) {
  const canvas = document.querySelector('#view');
  const button = (hand) => document.querySelector(`[data-switch="hand"] [data-value="${hand}"]`);
  const first = canvas.dataset.run;
  hands.forEach((hand) => button(hand).click());
  const end = performance.now() + patience;
  let least = 1;
  while (performance.now() < end && (canvas.dataset.run === first || button(hands.at(-1)).getAttribute('aria-pressed') !== 'true')) {
    const bitmap = await new Promise((resolve) => requestAnimationFrame(() => resolve(createImageBitmap(canvas))));
    const pen = new OffscreenCanvas(120, 80).getContext('2d');
    pen.drawImage(bitmap, 0, 0, 120, 80);
    const picture = pen.getImageData(0, 0, 120, 80).data;
    if (picture[3] === 0) continue; // between two pictures the canvas reads as transparent
    let warm = 0;
    for (let k = 0; k < picture.length; k += 4) if (picture[k] - picture[k + 2] > 50) warm++;
    least = Math.min(least, warm / (picture.length / 4));
  }
  return least;
}

/** Drags the hand towards the first loose object as a person does, by what is seen of both; how near the palm comes, metres. Runs in the page. */
async function reach(patience) {
  const canvas = document.querySelector('#view');
  const place = (name) => (canvas.dataset[name] ?? '').split(' ').map(Number);
  const box = canvas.getBoundingClientRect();
  const point = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, button: 0, buttons: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true }));
  canvas.setPointerCapture = () => {};
  const end = performance.now() + patience;
  let [x, y] = place('hand');
  point('pointerdown', x, y);
  let nearest = Number(canvas.dataset.gap);
  let still = 0;
  while (nearest >= 0.09 && performance.now() < end) {
    // Who pressed beside the hand, while the camera still came to a new scene, turned the view instead; so one looks at all and presses again.
    if (++still > 30) {
      point('pointerup', x, y);
      document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'Digit0', key: '0', bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      [x, y] = place('hand');
      point('pointerdown', x, y);
      still = 0;
    }
    const [handX, handY] = place('hand');
    const [thingX, thingY] = place('thing');
    const [depth] = place('depth');
    x += Math.max(-25, Math.min(25, thingX - handX));
    y += Math.max(-25, Math.min(25, thingY - handY));
    point('pointermove', x, y);
    // The wheel moves the hand away from the eye and back.
    if (Math.abs(depth) > 0.02) canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: depth > 0 ? -60 : 60, bubbles: true, cancelable: true }));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const gap = Number(canvas.dataset.gap);
    if (gap < nearest) still = 0;
    nearest = Math.min(nearest, gap);
  }
  point('pointerup', x, y);
  return nearest;
}
