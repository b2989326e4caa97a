// A second tab, and a reload at the worst moment: nothing is blank, lost or silent.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { staysInView } from './free_area.mjs';
import { thenar } from './server.mjs';
import { studioForTests } from './studio_for_tests.mjs';

/** A small window: pages here are asked what they show, not how it looks. */
const WINDOW = { width: 900, height: 600, query: '?quality=low' };
/** Of the script, seconds: the ball is lifted, and is put back much later. */
const HELD_FROM = 3.1;
/** The least height of a ball that is held, metres: it is lifted by 10 cm and lies at 3.65 cm. */
const HELD = 0.08;
/**
 * The camera sees the hand, and the ball if it is back on the table by then, at most as far from the hand as anyone reaches (0.8 m, `interest.ts`).
 * That and a hand's length fill this window from there, metres; a camera that followed what fell would soon be further away.
 */
const FARTHEST = 2.5;

const studios = studioForTests();

/** Opens the ball from its beginning, and waits until it is held in the air. */
async function holding(context) {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(1);
  await studio.page.click('[data-mode="script"]');
  const run = await studio.data('run');
  await studio.page.click('#reset');
  await studio.begunAfter(run);
  await studio.until(([time, height]) => {
    const { dataset } = document.querySelector('#view');
    return Number(dataset.time) > time && Number(dataset.height) > height;
  }, [HELD_FROM, HELD]);
  return studio;
}

/** The same, with the hand in the page's own hands: it holds for as long as nobody opens it. */
async function holdingByMouse(context) {
  const studio = await holding(context);
  await studio.page.click('[data-mode="mouse"]');
  await isPressed(studio, '[data-mode="mouse"]');
  return studio;
}

function isPressed(studio, selector, pressed = true) {
  return studio.until(([selector, pressed]) => document.querySelector(selector)?.getAttribute('aria-pressed') === String(pressed), [selector, pressed]);
}

async function reload(studio) {
  await studio.page.reload();
  await studio.frames(2);
}

test('a reload while the script holds the ball goes on in the middle of it', async (context) => {
  const studio = await holding(context);
  const [run, time] = [await studio.data('run'), await studio.number('time')];
  await reload(studio);
  assert.equal(await studio.data('run'), run, 'the scene began anew');
  assert.ok((await studio.number('time')) >= time);
  for (const thing of ['hand', 'object']) await staysInView(studio, thing);
  await isPressed(studio, '[data-mode="script"]');
  assert.ok(await studio.page.isHidden('#take-control'), 'who reloads still controls');
  assert.deepEqual(studio.problems, []);
});

test('a reload while the visitor holds the ball keeps it held, and Grasp lets it go', async (context) => {
  const studio = await holdingByMouse(context);
  await reload(studio);
  await isPressed(studio, '[data-mode="mouse"]');
  await studio.elapse(1);
  assert.ok((await studio.height()) > HELD, `the ball is at ${await studio.height()} m`);
  for (const thing of ['hand', 'object']) await staysInView(studio, thing);
  await isPressed(studio, '#grasp');
  await studio.picture('reload-held');
  await studio.page.click('#grasp');
  await studio.until((held) => Number(document.querySelector('#view').dataset.height) < held, HELD);
  await isPressed(studio, '#grasp', false);
  assert.deepEqual(studio.problems, []);
});

test('a second tab joins while the ball is held and takes over without dropping it', async (context) => {
  const first = await holdingByMouse(context);
  const second = await studios.open(context, WINDOW);
  await second.frames(2);
  for (const thing of ['hand', 'object']) await staysInView(second, thing);
  // The first page raises the hand after the second one has seen where it was.
  await first.page.focus('#view');
  await first.page.keyboard.down('ArrowUp');
  await first.elapse(0.4);
  await first.page.keyboard.up('ArrowUp');
  await first.elapse(0.5);
  const raised = await first.height();
  await second.page.click('#take-control');
  await second.page.waitForSelector('#take-control', { state: 'hidden' });
  await first.page.waitForSelector('#take-control:not([hidden])');
  await isPressed(second, '#grasp');
  await second.elapse(0.8);
  const taken = await second.height();
  assert.ok(Math.abs(taken - raised) < 0.01, `the ball was at ${raised} m and went to ${taken} m`);
  await second.page.focus('#view');
  await second.page.keyboard.down('ArrowUp');
  await second.elapse(0.3);
  await second.page.keyboard.up('ArrowUp');
  await second.elapse(0.5);
  assert.ok((await second.height()) > taken + 0.005, `the ball went from ${taken} m to ${await second.height()} m`);
  assert.deepEqual([first.problems, second.problems], [[], []]);
});

test('a reload while recording shows that it goes on, and the recording is whole', async (context) => {
  const studio = await studios.open(context, WINDOW);
  await studio.frames(1);
  await studio.page.click('[data-mode="script"]');
  await isPressed(studio, '[data-mode="script"]');
  await studio.page.click('#record');
  await isPressed(studio, '#record');
  await studio.until(() => Number(document.querySelector('#view').dataset.time) > 0.3);
  await reload(studio);
  await isPressed(studio, '#record');
  assert.match(await studio.page.textContent('#record'), /Stop/);
  const watcher = await studios.open(context, WINDOW);
  await watcher.frames(1);
  await isPressed(watcher, '#record');
  const downloads = [];
  watcher.page.on('download', (download) => downloads.push(download));
  const download = studio.page.waitForEvent('download');
  await studio.page.click('#record');
  const file = join(tmpdir(), `thenar-joining-${process.pid}.mcap`);
  await (await download).saveAs(file);
  assert.match(execFileSync(thenar(), ['replay', file], { encoding: 'utf8' }), /identical/);
  await isPressed(studio, '#record', false);
  await isPressed(watcher, '#record', false);
  assert.equal(downloads.length, 0, 'who only watches gets no file');
  assert.deepEqual([studio.problems, watcher.problems], [[], []]);
});

test('a reload and a second tab after the ball fell show the hand, and the ball comes back', async (context) => {
  const studio = await holdingByMouse(context);
  await studio.page.focus('#view');
  // Beyond the edge of the table, whichever side that is on the picture.
  await studio.page.keyboard.down('KeyD');
  await studio.elapse(2.6);
  await studio.page.keyboard.up('KeyD');
  await studio.page.click('#grasp');
  await studio.until(() => Number(document.querySelector('#view').dataset.height) < -0.05);
  await studio.page.reload();
  const second = await studios.open(context, WINDOW);
  for (const page of [studio, second]) {
    await page.frames(2);
    await staysInView(page, 'hand');
    const distance = Number((await page.data('camera')).split(' ')[3]);
    assert.ok(distance < FARTHEST, `the camera is ${distance} m away`);
  }
  await studio.picture('reload-fallen');
  for (const page of [studio, second]) {
    await page.until(() => Math.abs(Number(document.querySelector('#view').dataset.height) - 0.0365) < 0.005);
    assert.deepEqual(page.problems, []);
  }
});

test('a reload while a hand is built anew finds the choice made and the ball held', async (context) => {
  const studio = await holdingByMouse(context);
  await studio.openSection('hand');
  const chosen = '[data-switch="hand"] [data-value="adult-large"]';
  await studio.page.click(chosen);
  await studio.page.reload();
  const second = await studios.open(context, WINDOW);
  for (const page of [studio, second]) {
    await page.frames(2);
    await isPressed(page, chosen);
  }
  await studio.elapse(2.5);
  assert.ok((await studio.height()) > HELD, `the ball is at ${await studio.height()} m`);
  for (const page of [studio, second]) {
    for (const thing of ['hand', 'object']) await staysInView(page, thing);
    assert.deepEqual(page.problems, []);
  }
  await studio.picture('reload-switching');
});
