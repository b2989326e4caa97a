// The studio as a newcomer meets it, in a real browser.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, PATIENCE } from './patience.mjs';
import { thenar } from './server.mjs';
import { studioForTests } from './studio_for_tests.mjs';

let studio;

const studios = studioForTests(async (shared) => {
  studio = await shared.openForAll();
});

test('the page loads, draws the hand, and asks nobody but the server', async () => {
  await studio.frames(5);
  assert.equal(await studio.data('scene'), 'ball');
  const moving = await studio.page.evaluate(movingShare, { enough: 0.01, patience: PATIENCE });
  assert.ok(moving > 0.01, `only ${(100 * moving).toFixed(2)} % of the picture moves`);
  assert.ok(studio.requests.every((url) => url.startsWith(studios.server.url) || url.startsWith('data:') || url.startsWith('blob:')), studio.requests.join('\n'));
  assert.deepEqual(studio.problems, []);
});

test('nothing needs scrolling at 1280 by 720', async () => {
  const { width, height, names } = await studio.page.evaluate(() => {
    const outside = [...document.querySelectorAll('button, summary')].filter((node) => {
      if (node.closest('#scenes') || !node.checkVisibility()) return false;
      const box = node.getBoundingClientRect();
      return box.right > innerWidth || box.bottom > innerHeight || box.left < 0 || box.top < 0;
    });
    return { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight, names: outside.map((node) => node.textContent) };
  });
  assert.deepEqual([width, height, names], [1280, 720, []]);
});

test('the script of the scene lifts the ball', async () => {
  await studio.until(() => Number(document.querySelector('#view').dataset.height) > 0.11);
  await studio.picture('script-lift');
});

test('the plots move', async () => {
  await studio.openSection('plots');
  const read = () => studio.page.$$eval('#section-plots [data-plot]:not([hidden])', (plots) => plots.map((plot) => [plot.dataset.plot, Number(plot.dataset.points), plot.dataset.last]));
  const first = await read();
  const shown = first.map(([name]) => name);
  for (const name of ['height', 'grip', 'step', 'contacts']) assert.ok(shown.includes(name), `${name} is among ${shown}`);
  // A scene that starts again clears its plots.
  await eventually('every plot has points', async () => (await read()).every(([, points]) => points > 2) || undefined);
  const lastStep = (plots) => plots.find(([name]) => name === 'step')[2];
  await eventually('step times differ from frame to frame', async () => lastStep(await read()) !== lastStep(first) || undefined);
  await studio.page.click('[data-tab="step"]');
  await studio.until(() => {
    const canvas = document.querySelector('[data-plot="step"] canvas');
    const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels?.some((value, k) => k % 4 === 3 && value > 0);
  });
  await studio.picture('plots');
});

test('a method switches while the simulation runs', async () => {
  await studio.openSection('methods');
  const row = studio.page.locator('[data-switch="contact"]');
  const now = await row.locator('[aria-pressed="true"]').getAttribute('data-value');
  const values = await row.locator('button').evaluateAll((buttons) => buttons.map((button) => button.dataset.value));
  const other = values.find((value) => value !== now);
  const choose = async (value) => {
    await row.locator(`[data-value="${value}"]`).click();
    await studio.until((wanted) => document.querySelector('[data-switch="contact"] [aria-pressed="true"]')?.dataset.value === wanted, value);
    await studio.frames((await studio.number('frames')) + 5);
  };
  await choose(other);
  await choose(now);
  assert.deepEqual(studio.problems, []);
});

test('pausing stops time, a single step is one step, and playing goes on', async () => {
  await studio.page.click('#play');
  await studio.until(() => document.querySelector('#play').title.startsWith('Play'));
  await studio.timeStands();
  // from the start of the scene: at its end a step would begin it anew
  const run = await studio.data('run');
  await studio.page.click('#reset');
  await studio.begunAfter(run);
  const stopped = await studio.timeStands();
  await studio.page.click('#step');
  await studio.until((time) => Number(document.querySelector('#view').dataset.time) > time, stopped);
  const stepped = (await studio.timeStands()) - stopped;
  assert.ok(stepped < 0.02, `the step took ${stepped} s`);
  await studio.page.click('#play');
  await studio.until((time) => Number(document.querySelector('#view').dataset.time) > time + 0.1, stopped);
});

test('everything that can be shown is shown without complaint', async () => {
  await studio.openSection('show');
  for (const key of ['skeleton', 'tets', 'contacts', 'forces', 'pressure', 'tracked']) {
    await studio.page.click(`[data-show="${key}"]`);
  }
  await studio.frames((await studio.number('frames')) + 5);
  await studio.picture('everything');
  for (const key of ['skeleton', 'tets', 'contacts', 'forces', 'pressure', 'tracked']) {
    await studio.page.click(`[data-show="${key}"]`);
  }
  // Discs of a tactile device, and their plots while they are shown.
  assert.ok(await studio.page.locator('[data-plot="disc"]').isHidden(), 'plots of discs that are not shown');
  await studio.page.click('[data-show="tactile"]');
  await studio.frames((await studio.number('frames')) + 2);
  const discs = await studio.page.$eval('[data-plot="disc"]', (plot) => ({ hidden: plot.hidden, last: plot.dataset.last.split(' ').map(Number) }));
  assert.ok(!discs.hidden && discs.last.length === 5 && discs.last.every((mm) => mm >= -3.001 && mm <= 4.001), JSON.stringify(discs));
  await studio.page.click('[data-show="tactile"]');
  assert.deepEqual(studio.problems, []);
});

test('a newcomer lifts the ball with the mouse', async () => {
  const { page } = studio;
  // The hand waits in this mode; a scripted one would move away under a slow browser's pointer.
  const run = await studio.data('run');
  await page.click('[data-mode="mouse"]');
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
  // Playing goes on from where the script was.
  await page.click('#reset');
  await studio.begunAfter(run);
  const start = await studio.handRests();
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  // Down, roughly onto the ball: the palm stops on it by itself.
  for (let step = 1; step <= 6; step++) {
    await page.mouse.move(start.x, start.y + step * 40);
    await studio.elapse(0.1);
  }
  const lowered = await studio.handRests();
  assert.ok(lowered.y > start.y + 40, `the hand went from ${start.y} to ${lowered.y} pixels`);
  await studio.picture('mouse-lowered');
  await page.keyboard.down('Space');
  await studio.until(() => document.querySelector('[data-slider="closing"]').valueAsNumber >= 1);
  await studio.elapse(0.8);
  await studio.picture('mouse-grasped');
  for (let step = 6; step >= 0; step--) {
    await page.mouse.move(start.x, start.y + step * 40);
    await studio.elapse(0.15);
  }
  await studio.until(() => Number(document.querySelector('#view').dataset.height) > 0.08);
  await studio.elapse(1);
  const held = await studio.height();
  await studio.picture('mouse-lifted');
  assert.ok(held > 0.08, `the ball is at ${held} m`);
  await page.keyboard.up('Space');
  await page.mouse.up();
  await studio.until(() => Number(document.querySelector('#view').dataset.height) < 0.06);
  assert.deepEqual(studio.problems, []);
});

test('a recording downloads, replays bit for bit, and plays on the page', async () => {
  const { page } = studio;
  await page.click('[data-mode="script"]');
  await studio.until(() => document.querySelector('[data-mode="script"]').getAttribute('aria-pressed') === 'true');
  // Before it can be there: the end of the scene ends the recording too.
  const download = page.waitForEvent('download');
  await page.click('#record');
  await studio.until(() => document.querySelector('#record').getAttribute('aria-pressed') === 'true');
  await studio.frames((await studio.number('frames')) + 1);
  await studio.until(() => Number(document.querySelector('#view').dataset.time) > 1);
  await page.click('#record');
  const file = join(tmpdir(), `thenar-studio-test-${process.pid}.mcap`);
  await (await download).saveAs(file);
  const replay = execFileSync(thenar(), ['replay', file], { encoding: 'utf8' });
  console.log(replay.trim().split('\n').at(-1));
  await page.setInputFiles('input[type="file"]', file);
  await studio.until(() => document.querySelector('[data-mode="recording"]').getAttribute('aria-pressed') === 'true');
  const frames = await studio.number('frames');
  await studio.frames(frames + 3);
  assert.deepEqual(studio.problems, []);
});

test('a file that is no recording is refused with a reason', async () => {
  const file = join(tmpdir(), `thenar-studio-test-${process.pid}.json`);
  writeFileSync(file, 'this is no recording');
  await studio.page.setInputFiles('input[type="file"]', file);
  await studio.page.waitForSelector('.toast:not(.loading) b');
  assert.deepEqual(studio.problems, []);
});

test('a second page watches and can take control', async () => {
  const second = await studios.openForAll({ width: 900, height: 600 });
  await second.frames(3);
  await second.page.waitForSelector('#take-control:not([hidden])');
  await second.page.click('#take-control');
  await second.page.waitForSelector('#take-control', { state: 'hidden' });
  await studio.page.waitForSelector('#take-control:not([hidden])');
  assert.deepEqual(second.problems, []);
  // Who is left controls again.
  await second.close();
  await studio.page.waitForSelector('#take-control', { state: 'hidden' });
});

test('scenes of the list load', async () => {
  await studio.page.click('[data-scene="press"]');
  await studio.until(() => document.querySelector('#view').dataset.scene === 'press');
  await studio.picture('press');
  await studio.page.click('[data-scene="ball"]');
  await studio.until(() => document.querySelector('#view').dataset.scene === 'ball');
  assert.deepEqual(studio.problems, []);
});

test('when the server restarts, the page says so and recovers', async (context) => {
  if (!studios.server.isOurs) return context.skip('the studio was started by hand');
  let frames;
  await studios.restart(async () => {
    await studio.page.waitForSelector('#notice:not([hidden])');
    await studio.picture('server-gone');
    frames = await studio.number('frames');
  });
  await studio.page.waitForSelector('#notice', { state: 'hidden' });
  await studio.frames(frames + 3);
  // The browser itself reports failed connections; nothing else may go wrong.
  assert.deepEqual(
    studio.problems.filter((problem) => !/WebSocket|ERR_CONNECTION/.test(problem)),
    [],
  );
});

/** Share of the picture's pixels that change as the script goes on, the moving hand and its shadow, when it is enough. Runs in the page. */
async function movingShare({ enough, patience }) {
  const canvas = document.querySelector('#view');
  const read = async () => {
    const bitmap = await new Promise((resolve) => requestAnimationFrame(() => resolve(createImageBitmap(canvas))));
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    return pen.getImageData(0, 0, bitmap.width, bitmap.height).data;
  };
  /** A picture that was drawn: between pictures the canvas reads as transparent. */
  const drawn = async (end) => {
    let picture = await read();
    while (picture[3] === 0 && performance.now() < end) picture = await read();
    return picture;
  };
  const end = performance.now() + patience;
  let before = await drawn(end);
  let share = 0;
  while (share <= enough && performance.now() < end) {
    const later = await drawn(end);
    if (later.length !== before.length) before = later; // a slow page draws fewer pixels from now on
    let moved = 0;
    for (let k = 0; k < before.length; k += 4) if (Math.abs(before[k] - later[k]) + Math.abs(before[k + 2] - later[k + 2]) > 30) moved++;
    share = moved / (before.length / 4);
  }
  return share;
}
