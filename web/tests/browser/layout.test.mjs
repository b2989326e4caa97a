// Nothing is cut or covered, from a phone to a large screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsInPage } from './faults.mjs';
import { freeAreaInPage, staysInView } from './free_area.mjs';
import { studioForTests } from './studio_for_tests.mjs';

const SIZES = [
  [768, 1024],
  [768, 560],
  [900, 600],
  [1000, 720],
  [1280, 720],
  [1920, 1080],
];
const PHONE = [360, 740];

const studios = studioForTests();

test('nothing is cut or covered in windows of many sizes', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  await studio.page.evaluate(() => document.querySelector('[data-show="pressure"]').click());
  await studio.until(() => document.querySelector('.latency, .frame-rate').textContent !== '');
  // While time stands, the page draws little and is quick.
  await studio.page.click('#play');
  await studio.until(() => document.querySelector('#play').title.startsWith('Play'));
  for (const [width, height] of SIZES) {
    await studio.page.setViewportSize({ width, height });
    await studio.turns(3);
    for (const section of ['hand', 'show', 'feedback', 'methods']) {
      await studio.openSection(section);
      await studio.turns(2);
      assert.deepEqual(await studio.page.evaluate(faultsInPage), [], `${width} by ${height}, ${section} open`);
    }
    const { left, right } = await studio.page.evaluate(freeAreaInPage);
    assert.ok(right - left > 0.36 * width, `${right - left} of ${width} pixels are left for the picture`);
    await studio.picture(`layout-${width}x${height}`);
  }
  await studio.page.click('#play');
  for (const [width, height] of [SIZES[0], SIZES[2]]) {
    await studio.page.setViewportSize({ width, height });
    await studio.frames((await studio.number('frames')) + 2);
    await staysInView(studio, 'hand');
  }
  assert.deepEqual(studio.problems, []);
});

test('at 1280 by 720 a method and a plot show together', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  await studio.until(() => {
    const isIn = (node) => {
      const box = node?.getBoundingClientRect();
      const column = document.querySelector('#right').getBoundingClientRect();
      return box !== undefined && box.height > 15 && box.bottom <= column.bottom && box.bottom <= innerHeight;
    };
    return isIn(document.querySelector('[data-switch="contact"]')) && isIn(document.querySelector('.plot.chosen canvas'));
  });
  await studio.page.click('[data-tab="step"]');
  await studio.page.waitForSelector('[data-plot="step"] canvas');
  assert.match(await studio.page.textContent('[data-plot="step"] .plot-now'), /median/);
  await studio.until(() => /\d frames\/s/.test(document.querySelector('.frame-rate').textContent));
});

test('at 1280 by 720 every section has its heading in the column, whichever plot shows', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  await studio.page.waitForSelector('[data-switch="tracking"]');
  for (const tab of ['grip', 'step', 'contacts', 'height']) {
    await studio.page.click(`[data-tab="${tab}"]`);
    await studio.turns(3);
    const cut = await studio.page.$eval('#right', (column) => column.scrollHeight - column.clientHeight);
    assert.ok(cut <= 1, `${cut} pixels of the column are cut under the plot ${tab}`);
    assert.ok(await studio.page.isVisible(`[data-plot="${tab}"] figcaption`), `the plot ${tab} shows`);
    assert.ok(await studio.page.isVisible('[data-switch="contact"]'), 'methods show');
  }
  await studio.picture('layout-plots');
});

test('the page fills the screen and comes back', async (context) => {
  const studio = await studios.open(context);
  await studio.frames(2);
  await studio.page.click('#fullscreen');
  await studio.until(() => document.fullscreenElement !== null && document.querySelector('#fullscreen').getAttribute('aria-pressed') === 'true');
  await staysInView(studio, 'hand');
  await studio.page.keyboard.press('f');
  await studio.until(() => document.fullscreenElement === null && document.querySelector('#fullscreen').getAttribute('aria-pressed') === 'false');
  assert.deepEqual(studio.problems, []);
});

test('a phone loads recordings and moves the hand in depth', async (context) => {
  const [width, height] = PHONE;
  const studio = await studios.open(context, { width, height, touch: true, phone: true });
  await studio.frames(2);
  assert.deepEqual(await studio.page.evaluate(faultsInPage), []);
  assert.ok(await studio.page.isVisible('#load'), 'Load shows');
  await staysInView(studio, 'hand');
  await studio.picture('layout-phone');
  const away = studio.page.locator('#depth button').first();
  const box = await away.boundingBox();
  const place = { pointerType: 'touch', pointerId: 7, clientX: box.x + 9, clientY: box.y + 9, bubbles: true };
  await away.evaluate((node) => (node.setPointerCapture = () => undefined)); // a made-up finger cannot be captured
  await away.dispatchEvent('pointerdown', place);
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
  const start = await studio.handPlace();
  await studio.elapse(0.8);
  const moved = await studio.handPlace();
  await away.dispatchEvent('pointerup', place);
  assert.ok(Math.hypot(moved.x - start.x, moved.y - start.y) > 8, `the hand went from ${JSON.stringify(start)} to ${JSON.stringify(moved)}`);
  assert.deepEqual(studio.problems, []);
});

test('on a phone the picture stays in view when a scene with many cases opens', async (context) => {
  const [width, height] = PHONE;
  const studio = await studios.open(context, { width, height, touch: true, phone: true });
  await studio.frames(2);
  await studio.page.evaluate(() => document.querySelector('#scenes [data-scene="ycb-set"]').click());
  await studio.page.waitForSelector('.cases:not([hidden]) [aria-pressed="true"]');
  await studio.page.reload();
  await studio.frames(2);
  await studio.page.waitForSelector('.cases:not([hidden]) [aria-pressed="true"]');
  assert.equal(await studio.page.evaluate(() => scrollY), 0, 'the page scrolled away from the picture');
  const list = await studio.page.$eval('#scenes', (node) => node.clientHeight);
  assert.ok(list < 0.25 * height, `the list of scenes takes ${list} of ${height} pixels`);
  await staysInView(studio, 'hand');
  await studio.picture('layout-phone-cases');
  assert.deepEqual(studio.problems, []);
});
