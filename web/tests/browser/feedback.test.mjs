// Force feedback in a real browser: the mouse as a device, what it feels, and where it is not possible.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsInPage } from './faults.mjs';
import { eventually } from './patience.mjs';
import { studioForTests } from './studio_for_tests.mjs';

const studios = studioForTests();

async function choose(studio, device) {
  await studio.openSection('feedback');
  await studio.page.click(`[data-switch="haptics"] [data-value="${device}"]`);
  await studio.until((value) => document.querySelector(`[data-switch="haptics"] [data-value="${value}"]`).getAttribute('aria-pressed') === 'true', device);
}

/** What the newest tick felt, newtons. */
const felt = (studio) => studio.number('felt');

/** Share of a canvas that is painted in about that colour. */
const painted = (studio, [r, g, b]) =>
  studio.page.evaluate(
    async ([red, green, blue]) => {
      const canvas = document.querySelector('#view');
      const bitmap = await new Promise((resolve) => requestAnimationFrame(() => resolve(createImageBitmap(canvas))));
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      pen.drawImage(bitmap, 0, 0);
      const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
      let count = 0;
      for (let k = 0; k < data.length; k += 4) if (Math.abs(data[k] - red) + Math.abs(data[k + 1] - green) + Math.abs(data[k + 2] - blue) < 40) count++;
      return count;
    },
    [r, g, b],
  );

const VIOLET = [139, 92, 246];

test('the mouse is a device that feels the ball', async (context) => {
  const studio = await studios.open(context);
  const { page } = studio;
  await studio.frames(3);
  await choose(studio, 'mouse');
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
  // from the start: the hand waits above the ball
  const run = await studio.data('run');
  await page.click('#reset');
  await studio.begunAfter(run);
  await studio.until(() => document.querySelector('#view').dataset.device !== undefined);
  const start = await studio.handRests();
  assert.equal(await studio.number('arrow'), 0, 'nobody holds it, nothing is felt');
  const without = await painted(studio, VIOLET);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  for (let step = 1; step <= 8; step++) {
    await page.mouse.move(start.x, start.y + step * 30);
    await studio.elapse(0.1);
  }
  await eventually('a force', async () => ((await felt(studio)) > 1 ? true : undefined));
  assert.ok((await studio.number('arrow')) > 0.01, 'an arrow of more than a centimetre');
  await eventually('the arrow is in the picture', async () => ((await painted(studio, VIOLET)) > without + 60 ? true : undefined));
  const read = (plot) => page.$eval(`[data-plot="${plot}"]`, (node) => ({ points: Number(node.dataset.points), last: node.dataset.last.split(' ').map(Number) }));
  await eventually('the plot shows it', async () => ((await read('haptic-force')).last[3] > 0.5 ? true : undefined));
  // a full plot keeps as many points as it has
  const first = String((await read('haptic-position')).last);
  await eventually('plots move', async () => (String((await read('haptic-position')).last) !== first ? true : undefined));
  assert.ok((await read('haptic-position')).points > 2);
  assert.match(await page.textContent('#feedback-figures'), /ticks\/s/);
  await studio.picture('feedback-pressing');
  for (const [width, height] of [
    [800, 720],
    [1280, 720],
  ]) {
    await page.setViewportSize({ width, height });
    await studio.turns(3);
    assert.deepEqual(await page.evaluate(faultsInPage), [], `${width} by ${height}`);
    const column = await page.$eval('#right', (node) => node.scrollHeight - node.clientHeight);
    assert.ok(column <= 1 || width < 1000, `${column} pixels of the column are cut`);
    await studio.picture(`feedback-${width}`);
  }
  await page.mouse.up();
  await eventually('nobody holds it', async () => ((await felt(studio)) === 0 && (await studio.number('arrow')) === 0 ? true : undefined));
  await choose(studio, 'off');
  await studio.until(() => document.querySelector('#view').dataset.device === undefined);
  await studio.picture('feedback-off');
  assert.ok(await page.locator('[data-plot="haptic-force"]').isHidden());
  assert.deepEqual(studio.problems, []);
});

test('where it is not possible, the page says why', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(3);
  await studio.openSection('methods');
  await studio.page.click('[data-switch="skeleton"] [data-value="reduced"]');
  await studio.openSection('feedback');
  await studio.until(() => document.querySelector('[data-switch="haptics"]').classList.contains('idle'));
  assert.match(await studio.page.textContent('#feedback-note'), /skeleton of bodies/);
  await studio.picture('feedback-impossible');
  await studio.openSection('methods');
  await studio.page.click('[data-switch="skeleton"] [data-value="bodies"]');
  await studio.until(() => !document.querySelector('[data-switch="haptics"]').classList.contains('idle'));
  assert.deepEqual(studio.problems, []);
});

test('a soft tool is dragged by its device', async (context) => {
  const studio = await studios.open(context);
  const { page } = studio;
  await studio.frames(3);
  await page.click('[data-scene="tools"]');
  await studio.until(() => document.querySelector('#view').dataset.scene === 'tools');
  await choose(studio, 'mouse');
  const place = () => page.evaluate(() => document.querySelector('#view').dataset.device?.split(' ').map(Number));
  const [x, y] = await eventually('a device', place);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 4; step++) {
    await page.mouse.move(x, y - step * 20);
    await studio.elapse(0.1);
  }
  await eventually('it rises', async () => ((await place())[1] < y - 40 ? true : undefined));
  await studio.picture('feedback-tool');
  await page.mouse.up();
  assert.deepEqual(studio.problems, []);
});
