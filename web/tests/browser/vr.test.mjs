// A headset's own hands: an emulated one grasps the ball and lifts it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './chromium.mjs';
import { IWER, installHeadsetInPage, jointsOf, playHandInPage, trackedBones } from './emulated_hand.mjs';
import { Server } from './server.mjs';
import { StudioPage } from './studio_page.mjs';

/** Where the page puts the middle of the table: this far below the eyes, and ahead of them. */
const BELOW_EYES = 0.42;
const AHEAD = 0.38;
const LIFTED_AT = 4.6;

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([launch(), Server.start()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The tracked hand of the ball scene's own script, up to the lift. */
async function scriptedHand() {
  const watcher = await StudioPage.open(browser, server.url, { width: 480, height: 320 });
  const moments = [];
  await watcher.frames(1);
  await watcher.page.evaluate(() => document.querySelector('[data-show="tracked"]').click());
  const listen = (socket) => socket.on('framereceived', ({ payload }) => {
    const found = trackedBones(payload);
    if (!found) return;
    if (moments.length > 0 && found.time < moments.at(-1).time) moments.length = 0;
    moments.push({ time: found.time, joints: jointsOf(found.bones) });
  });
  watcher.page.on('websocket', listen);
  await watcher.page.reload();
  await watcher.frames(1);
  await watcher.page.evaluate(() => {
    document.querySelector('[data-show="tracked"]').click();
    document.querySelector('#reset').click();
  });
  await watcher.page.waitForTimeout(300);
  const whole = () => moments.length > 0 && moments[0].time < 0.5 && moments.at(-1).time > LIFTED_AT;
  for (let tries = 0; tries < 400 && !whole(); tries++) await watcher.page.waitForTimeout(100);
  assert.ok(whole(), 'the script was seen from its start to the lift');
  await watcher.close();
  return moments.filter(({ time }) => time <= LIFTED_AT);
}

test('an emulated hand lifts the ball in VR', async () => {
  const moments = await scriptedHand();
  const studio = await StudioPage.open(browser, server.url, { width: 960, height: 600, init: [{ content: IWER }, installHeadsetInPage] });
  await studio.frames(2);
  await studio.page.waitForSelector('#enter-vr:not([hidden])');
  const eyes = await studio.page.evaluate(() => window.headset.position.toArray?.() ?? [window.headset.position.x, window.headset.position.y, window.headset.position.z]);
  await studio.page.click('#enter-vr');
  await studio.until(() => document.documentElement.dataset.vr === 'on');
  const origin = [eyes[0], eyes[1] - BELOW_EYES, eyes[2] - AHEAD];
  await studio.page.evaluate(playHandInPage, { moments, origin, slower: 1.5 });
  await studio.page.waitForTimeout(500);
  const height = await studio.height();
  await studio.picture('vr');
  const { p50, p95, trips } = await studio.page.$eval('#status', (line) => ({ ...line.dataset }));
  console.log(`VR: the ball is at ${(height * 1000).toFixed(0)} mm; latency p50 ${p50} ms, p95 ${p95} ms over ${trips} tracked frames`);
  assert.ok(height > 0.08, `the ball is at ${height} m`);
  assert.deepEqual(studio.problems, []);
});
