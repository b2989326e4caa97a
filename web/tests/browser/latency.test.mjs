// From an input on the page to decoded skin on the page. The picture is small, so that drawing without a graphics card
// counts for little. The figure is printed, not judged: it depends on what else the machine does.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './chromium.mjs';
import { eventually } from './patience.mjs';
import { Server } from './server.mjs';
import { StudioPage } from './studio_page.mjs';

let browser;
let server;

before(async () => {
  [browser, server] = await Promise.all([launch(), Server.start()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

test('the latency is measured and shown', async () => {
  const studio = await StudioPage.open(browser, server.url, { width: 400, height: 300 });
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
