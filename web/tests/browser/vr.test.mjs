// A headset's own hands: an emulated one grasps the ball and lifts it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdHandInPage, installHeadsetInPage, IWER, jointsOf, KIND_FRAME, playHandInPage, thinned, trackedBones, watchScriptInPage } from './emulated_hand.mjs';
import { staysInView } from './free_area.mjs';
import { eventually, PATIENCE } from './patience.mjs';
import { studioForTests } from './studio_for_tests.mjs';

/** Where the page puts the middle of the table: this far below the eyes, and ahead of them. */
const BELOW_EYES = 0.42;
const AHEAD = 0.38;
const LIFTED_AT = 4.6;
/** Of the script, seconds: small steps for a hand, and not too many for a page that draws slowly. */
const BETWEEN_MOMENTS = 0.06;

const studios = studioForTests();

/** The tracked hand of the ball scene's own script, up to the lift. */
async function scriptedHand() {
  const watcher = await studios.browser.newPage();
  watcher.setDefaultTimeout(PATIENCE);
  const moments = [];
  watcher.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const found = trackedBones(payload);
      if (!found) return;
      if (moments.length > 0 && found.time < moments.at(-1).time) moments.length = 0;
      moments.push({ time: found.time, joints: jointsOf(found.bones) });
    }),
  );
  await watcher.goto(`${studios.server.url}health`);
  await watcher.evaluate(watchScriptInPage, { kindFrame: KIND_FRAME, milliseconds: 10 });
  await eventually('the script is seen from its start to the lift', () => (moments.length > 0 && moments[0].time < 0.5 && moments.at(-1).time > LIFTED_AT) || undefined);
  await watcher.close();
  return thinned(
    moments.filter(({ time }) => time <= LIFTED_AT),
    BETWEEN_MOMENTS,
  );
}

test('an emulated hand lifts the ball in VR', async (context) => {
  const moments = await scriptedHand();
  const studio = await studios.open(context, { width: 960, height: 600, init: [{ content: IWER }, installHeadsetInPage] });
  await studio.frames(2);
  await studio.page.waitForSelector('#enter-vr:not([hidden])');
  const eyes = await studio.page.evaluate(() => window.headset.position.toArray?.() ?? [window.headset.position.x, window.headset.position.y, window.headset.position.z]);
  const origin = [eyes[0], eyes[1] - BELOW_EYES, eyes[2] - AHEAD];
  await studio.page.evaluate(holdHandInPage, { moment: moments[0], origin });
  const run = await studio.data('run');
  await studio.page.click('#enter-vr');
  await studio.until(() => document.documentElement.dataset.vr === 'on');
  await studio.begunAfter(run);
  await studio.page.evaluate(playHandInPage, { moments, slower: 1.5, patience: PATIENCE });
  const played = await studio.number('time');
  await studio.until((time) => Number(document.querySelector('#view').dataset.time) > time, played + 0.5);
  const height = await studio.height();
  await studio.picture('vr');
  const { p50, p95, trips } = await studio.page.$eval('#status', (line) => ({ ...line.dataset }));
  console.log(`VR: the ball is at ${(height * 1000).toFixed(0)} mm; latency p50 ${p50} ms, p95 ${p95} ms over ${trips} tracked frames`);
  assert.ok(height > 0.08, `the ball is at ${height} m`);
  assert.deepEqual(studio.problems, []);
});

test('after the headset is put down, the page shows the scene as before', async (context) => {
  const studio = await studios.open(context, { width: 960, height: 600, init: [{ content: IWER }, installHeadsetInPage] });
  await studio.frames(2);
  await studio.page.waitForSelector('#enter-vr:not([hidden])');
  const lens = (text) => text.split(' ').at(-1);
  const before = lens(await studio.data('camera'));
  await studio.page.click('#enter-vr');
  await studio.until(() => document.documentElement.dataset.vr === 'on');
  await studio.frames((await studio.number('frames')) + 5);
  await studio.page.evaluate(() => window.headset.activeSession.end());
  await studio.until(() => document.documentElement.dataset.vr !== 'on');
  await studio.frames((await studio.number('frames')) + 5);
  await staysInView(studio, 'hand');
  assert.equal(lens(await studio.data('camera')), before, 'the camera sees as wide as before');
  // The picture is below the controls, not over them.
  const isOnTop = (id) => {
    const box = document.querySelector(id).getBoundingClientRect();
    return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest(id) !== null;
  };
  for (const id of ['#play', '#frame-view', '#left']) assert.ok(await studio.page.evaluate(isOnTop, id), `${id} is covered`);
  const shape = await studio.page.$eval('#view', (view) => view.width / view.height / (view.clientWidth / view.clientHeight));
  assert.ok(Math.abs(shape - 1) < 0.02, `the picture is stretched by ${shape}`);
  await studio.picture('after-vr');
  assert.deepEqual(studio.problems, []);
});
