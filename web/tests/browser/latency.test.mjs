// From an input on the page to decoded skin on the page. The picture is small, so that drawing without a graphics card
// counts for little. The figure is printed, not judged: it depends on what else the machine does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './patience.mjs';
import { studioForTests } from './studio_for_tests.mjs';

const studios = studioForTests();

test('the latency is measured and shown', async (context) => {
  const studio = await studios.open(context, { width: 400, height: 300 });
  await studio.frames(2);
  await studio.page.focus('#view');
  // There and back, so that the hand never comes to where it can go no further.
  const { p50, p95, trips } = await eventually('inputs show in the skin', async () => {
    for (const key of ['KeyA', 'KeyD']) {
      await studio.page.keyboard.down(key);
      await studio.turns(10);
      await studio.page.keyboard.up(key);
    }
    const figures = await studio.page.$eval('#status', (line) => ({ ...line.dataset }));
    return Number(figures.trips) > 5 ? figures : undefined;
  });
  console.log(`latency from input to decoded skin: p50 ${p50} ms, p95 ${p95} ms over ${trips} inputs`);
  // its 95 % figure has no room on a narrow page
  assert.match(await studio.page.innerText('#status'), /latency \d+ ms/);
  assert.deepEqual(studio.problems, []);
});
