// What cannot be done here is said, once, and not merely refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putObjectAt } from './doctored.mjs';
import { studioForTests } from './studio_for_tests.mjs';

const WINDOW = { width: 1280, height: 720, query: '?quality=low' };

const studios = studioForTests();

async function openScene(studio, scene) {
  const run = await studio.data('run');
  await studio.page.click(`#scenes [data-scene="${scene}"]`);
  await studio.begunAfter(run);
  await studio.until((wanted) => document.querySelector('#view').dataset.scene === wanted, scene);
}

async function choosePreset(studio, preset) {
  const run = await studio.data('run');
  await studio.page.click(`[data-switch="preset"] [data-value="${preset}"]`);
  await studio.begunAfter(run);
}

async function play(studio) {
  await studio.page.click('[data-mode="mouse"]');
  await studio.until(() => document.querySelector('[data-mode="mouse"]').getAttribute('aria-pressed') === 'true');
}

function stage(studio, wanted) {
  return studio.until((stage) => {
    const hint = document.querySelector('#hint');
    return hint.dataset.stage === stage && hint.checkVisibility();
  }, wanted);
}

function toast(studio, text) {
  return studio.until((wanted) => [...document.querySelectorAll('.toast:not(.loading)')].some((one) => one.textContent.includes(wanted)), text);
}

const grasp = (studio) => studio.page.$eval('#grasp', ({ disabled, title }) => ({ disabled, title }));

test('a hand without joints says that it cannot grasp', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  // It is said at once, and may be gone before the hand is built.
  await Promise.all([toast(studio, 'no joints'), choosePreset(studio, 'garre')]);
  await stage(studio, 'jointless');
  const { disabled, title } = await grasp(studio);
  assert.ok(disabled);
  assert.match(title, /no joints/);
  assert.match(await studio.page.$eval('[data-switch="skeleton"]', (row) => row.title), /no joints/);
  await studio.picture('told-jointless');
  await choosePreset(studio, 'default');
  await studio.until(() => !document.querySelector('#grasp').disabled);
  assert.match((await grasp(studio)).title, /Close or open/);
  assert.deepEqual(studio.problems, []);
});

test('a scene without a hand says how its tools are moved', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  await openScene(studio, 'tools');
  await stage(studio, 'handless');
  const { disabled, title } = await grasp(studio);
  assert.ok(disabled);
  assert.match(title, /force feedback/);
  await studio.picture('told-handless');
  await openScene(studio, 'ball');
  await studio.until(() => !document.querySelector('#grasp').disabled);
  assert.deepEqual(studio.problems, []);
});

test('a page that watches says so to who drags its hand, and one that loses control says that', async (context) => {
  const first = await studios.open(context, WINDOW);
  await first.frames(2);
  await play(first);
  const second = await studios.open(context, WINDOW);
  await second.page.waitForSelector('#take-control:not([hidden])');
  await second.frames(2);
  const { x, y } = await second.handRests();
  const camera = await second.data('camera');
  await second.page.mouse.move(x, y);
  await second.page.mouse.down();
  await second.page.mouse.move(x + 60, y + 30, { steps: 4 });
  await second.page.mouse.up();
  await toast(second, 'Another page controls the scene.');
  await second.turns(4);
  assert.equal(await second.data('camera'), camera, 'the view turned');
  await second.page.click('#take-control');
  await toast(first, 'Another page took control');
  // and when it comes back
  await second.page.close();
  await toast(first, 'This page controls the scene again');
  await first.until(() => ![...document.querySelectorAll('.toast')].some((toast) => toast.textContent.includes('took control')));
  assert.deepEqual([first.problems, second.problems], [[], []]);
});

test('the same words stand there once', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  const most = await studio.page.evaluate(async () => {
    let most = 0;
    for (const hand of ['child', 'adult-small', 'adult']) {
      document.querySelector(`[data-switch="hand"] [data-value="${hand}"]`).click();
      most = Math.max(most, document.querySelectorAll('.toast:not(.loading)').length);
    }
    return most;
  });
  assert.equal(most, 1);
});

test('the mouse brings the hand down to a pencil that lies', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  await play(studio);
  await openScene(studio, 'pencil');
  const start = await studio.handRests();
  await studio.page.mouse.move(start.x, start.y);
  await studio.page.mouse.down();
  for (let step = 1; step <= 8; step++) {
    await studio.page.mouse.move(start.x, start.y + step * 40);
    await studio.elapse(0.1);
  }
  await studio.handRests();
  await studio.page.mouse.up();
  await studio.picture('told-pencil');
  // It comes within a few millimetres, and stopped 12 cm away when the pencil's length counted as its height.
  const gap = await studio.number('gap');
  assert.ok(gap < 0.07, `the palm stopped ${gap} m from the pencil`);
  await openScene(studio, 'ball');
  assert.deepEqual(studio.problems, []);
});

test('no number of a plot is printed over its legend', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  await studio.page.click('[data-tab="grip"]');
  await studio.turns(3);
  const room = await studio.page.$eval('[data-plot="grip"]', (plot) => {
    const words = document.createRange();
    words.selectNodeContents(plot.querySelector('.plot-legend'));
    return words.getBoundingClientRect().top - plot.querySelector('.plot-canvas').getBoundingClientRect().bottom;
  });
  // The lowest number stands 6 px above the edge of its canvas and is 7 px high; words begin below the top of their line.
  assert.ok(room >= -3, `the legend begins ${-room} px above the edge of the plot`);
  await studio.picture('told-legend');
});

/** The word of a switch that is pressed. */
const pressed = (studio, key) => studio.page.$eval(`[data-switch="${key}"] [aria-pressed="true"]`, (button) => button.dataset.value);

function isPressed(studio, key, value) {
  return studio.until(([key, value]) => document.querySelector(`[data-switch="${key}"] [data-value="${value}"]`).getAttribute('aria-pressed') === 'true', [key, value]);
}

async function record(studio, on) {
  await studio.page.click('#record');
  await studio.until((on) => document.querySelector('#record').getAttribute('aria-pressed') === String(on), on);
}

test('a choice that is refused goes back', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  const before = await pressed(studio, 'contact');
  const [other, another] = ['penalty', 'point', 'aggregate'].filter((word) => word !== before);
  await record(studio, true);
  await studio.page.click(`[data-switch="contact"] [data-value="${other}"]`);
  await toast(studio, 'stay as they are while recording');
  await isPressed(studio, 'contact', before);
  await record(studio, false);
  await toast(studio, 'Recorded');
  const watching = await studios.open(context, WINDOW);
  await watching.page.waitForSelector('#take-control:not([hidden])');
  await watching.frames(2);
  await watching.page.click(`[data-switch="contact"] [data-value="${another}"]`);
  await toast(watching, 'Another page controls the scene.');
  await isPressed(watching, 'contact', before);
  // and it is none that the server made after all
  await watching.turns(4);
  assert.deepEqual([await pressed(watching, 'contact'), await pressed(studio, 'contact')], [before, before]);
  assert.deepEqual([studio.problems, watching.problems], [[], []]);
});

test('methods name their papers', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(2);
  const title = (key, value) => studio.page.$eval(`[data-switch="${key}"] [data-value="${value}"]`, (button) => button.title);
  assert.match(await title('preset', 'talvas'), /Talvas.* 2015/);
  assert.match(await title('contact', 'penalty'), /Verschoor.* 2018/);
  assert.match(await title('strain', 'hard'), /Perez.* 2016/);
});

test('what falls while recording comes back after it, and the page says so', async (context) => {
  const studio = await studios.open(context, { ...WINDOW, init: [putObjectAt(1, -0.5, 'fell')] });
  await studio.frames(2);
  const fall = (fell) => studio.page.evaluate((fell) => (window.fell = fell), fell);
  const title = () => studio.page.$eval('#record', (button) => button.title);
  assert.match(await title(), /from the beginning of the scene/);
  await play(studio);
  await studio.elapse(0.2);
  await fall(true);
  await stage(studio, 'fallen');
  await fall(false);
  await record(studio, true);
  await toast(studio, 'begins anew');
  assert.match(await title(), /Stop/);
  await studio.elapse(0.2);
  await fall(true);
  await stage(studio, 'lost');
  await studio.picture('told-lost');
  await record(studio, false);
  await stage(studio, 'fallen');
  assert.deepEqual(studio.problems, []);
});
