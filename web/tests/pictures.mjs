// Makes the README's pictures of the studio and the small ones of its scene list: npm run pictures, or, for some of them,
// npm run pictures -- studio-lift, npm run pictures -- thumbnails, npm run pictures -- thumbnails door.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { animatedWebp } from './animated_webp.mjs';
import { launch } from './browser/chromium.mjs';
import { Server } from './browser/server.mjs';
import { StudioPage } from './browser/studio_page.mjs';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const FROM = 1.05;
const TO = 4.3;
const FRAMES_PER_SECOND = 11;
const FILM = { width: 640, height: 360 };
const THUMBNAIL = { width: 640, height: 400 };
const THUMBNAILS = fileURLToPath(new URL('../../crates/thenar-studio/pictures/', import.meta.url));
/** When a scene is at its best, seconds; 2.6 where nothing is said. */
const MOMENTS = { door: 3.4, letters: 0.55, 'lift-strong': 3.6, 'lift-weak': 3.6, tools: 1.5, toy: 5.8 };
/** Seen from further away and from another side than usual, in pixels of the wheel and of a drag: where what happens is larger than a hand. */
const LOOKS = { door: { further: 650, aside: -150 } };

/** Styles that leave the picture only. */
const SCENE_ALONE =
  '.panel, #hint, #toasts, #legend { display: none !important } #view { position: fixed !important; inset: 0 !important; margin: 0 !important; width: 100vw !important; height: 100vh !important }';

const [browser, server] = await Promise.all([launch(), Server.start()]);
try {
  const encoder = await (await browser.newContext()).newPage();
  if (wants('studio')) await still('studio', 'light', encoder, []);
  if (wants('studio-dark')) await still('studio-dark', 'dark', encoder, ['pressure', 'forces']);
  if (wants('studio-lift')) await film('studio-lift', encoder);
  if (wants('thumbnails')) await thumbnails(encoder);
} finally {
  await browser.close();
  await server.stop();
}

/** True if that picture was asked for, or none by name. */
function wants(name) {
  return process.argv.length < 3 || process.argv.includes(name);
}

/** The whole page while the hand holds the ball. */
async function still(name, theme, encoder, shown) {
  const studio = await StudioPage.open(browser, server.url, { theme, query: '?quality=high', init: [() => localStorage.setItem('thenar.lifted', 'yes')] });
  await studio.frames(2);
  if (shown.length > 0) await studio.openSection('show');
  for (const key of shown) await studio.page.click(`[data-show="${key}"]`);
  await restart(studio);
  await studio.until((time) => Number(document.querySelector('#view').dataset.time) > time, 3.4);
  await studio.page.click('#play');
  await studio.page.waitForTimeout(1500);
  const png = await studio.page.screenshot();
  writeFileSync(`${DOCS}${name}.webp`, await encode(encoder, png, 1280, 720, 0.86));
  await studio.page.click('#play');
  await studio.close();
}

/** Every scene of the list as the studio shows it, without what people can add to it. */
async function thumbnails(encoder) {
  const named = process.argv.slice(process.argv.indexOf('thumbnails') + 1);
  const studio = await StudioPage.open(browser, server.url, { ...THUMBNAIL, theme: 'light', query: '?quality=high' });
  await studio.page.addStyleTag({ content: SCENE_ALONE });
  await studio.frames(1);
  await studio.page.evaluate(() => window.dispatchEvent(new Event('resize')));
  const scenes = await studio.page.$$eval('.card', (cards) => cards.map((card) => card.dataset.scene));
  for (const scene of scenes.filter((name) => named.length === 0 || named.includes(name))) {
    await studio.page.evaluate((name) => document.querySelector(`.card[data-scene="${name}"]`).click(), scene);
    await studio.until((name) => document.querySelector('#view').dataset.scene === name, scene);
    await setSpeed(studio, '0.25×');
    await restart(studio);
    await studio.until((time) => Number(document.querySelector('#view').dataset.time) > time, MOMENTS[scene] ?? 2.6);
    await studio.page.evaluate(() => document.querySelector('#play').click());
    await studio.timeStands();
    await studio.page.evaluate(() => document.querySelector('#frame-view').click());
    if (LOOKS[scene]) await lookFrom(studio, LOOKS[scene]);
    await studio.page.waitForTimeout(1500); // the camera's flight, on any machine
    const png = await studio.page.screenshot();
    writeFileSync(`${THUMBNAILS}${scene}.png`, await encode(encoder, png, 256, 160, 1, 'image/png'));
    console.log(`${scene} at ${await studio.data('time')} s`);
    await studio.page.evaluate(() => document.querySelector('#play').click());
  }
  await studio.close();
}

/** Turns the camera by a drag beside everything, and takes it away. */
async function lookFrom(studio, { further, aside }) {
  const { mouse } = studio.page;
  const corner = { x: THUMBNAIL.width - 60, y: 40 };
  await mouse.move(corner.x, corner.y);
  await mouse.down();
  await mouse.move(corner.x + aside, corner.y, { steps: 5 });
  await mouse.up();
  await mouse.wheel(0, further);
}

/** The scene alone, from reaching for the ball to squeezing it. */
async function film(name, encoder) {
  const studio = await StudioPage.open(browser, server.url, { ...FILM, theme: 'light', query: '?quality=high' });
  await studio.page.addStyleTag({ content: SCENE_ALONE });
  await studio.frames(2);
  await studio.page.evaluate(() => {
    window.dispatchEvent(new Event('resize'));
    for (const key of ['pressure', 'forces']) document.querySelector(`[data-show="${key}"]`).click();
  });
  // Once through at full speed: everything that shows up has been drawn once, and nothing stutters later.
  await studio.until(() => Number(document.querySelector('#view').dataset.time) > 3.2);
  // Seen from where the lifted hand is in the middle.
  await studio.page.evaluate(() => document.querySelector('#frame-view').click());
  await studio.page.mouse.move(FILM.width / 2, FILM.height / 2);
  await studio.page.mouse.wheel(0, -30); // a little closer
  await setSpeed(studio, '0.1×');
  await restart(studio);
  const shots = await studio.page.evaluate(recordInPage, { from: FROM, to: TO, gap: 0.7 / FRAMES_PER_SECOND, quality: 0.66 });
  const frames = [];
  for (let time = shots[0].time; time < TO; time += 1 / FRAMES_PER_SECOND) {
    const nearest = shots.reduce((best, shot) => (Math.abs(shot.time - time) < Math.abs(best.time - time) ? shot : best));
    frames.push(Buffer.from(nearest.data, 'base64'));
  }
  await setSpeed(studio, '1×');
  // There and back again, so that the loop has no jump.
  const loop = [...frames, ...frames.slice(1, -1).reverse()];
  writeFileSync(`${DOCS}${name}.webp`, animatedWebp(loop, FILM.width, FILM.height, Math.round(1000 / FRAMES_PER_SECOND)));
  await studio.close();
}

/** Clicks through the speeds until that one is set. */
async function setSpeed(studio, label) {
  while ((await studio.page.textContent('#speed')) !== label) {
    const before = await studio.page.textContent('#speed');
    await studio.page.evaluate(() => document.querySelector('#speed').click());
    await studio.until((text) => document.querySelector('#speed').textContent !== text, before);
  }
}

/** Keeps pictures of the canvas as the simulation passes from one time to the other. */
async function recordInPage({ from, to, gap, quality }) {
  const canvas = document.querySelector('#view');
  const time = () => Number(canvas.dataset.time);
  const shots = [];
  while (time() < to) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = time();
    if (now < from || (shots.length > 0 && now < shots.at(-1).time + gap)) continue;
    const bitmap = await createImageBitmap(canvas);
    const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
    copy.getContext('2d').drawImage(bitmap, 0, 0);
    const bytes = new Uint8Array(await (await copy.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    shots.push({ time: now, data: btoa(text) });
  }
  return shots;
}

async function restart(studio) {
  await studio.page.evaluate(() => document.querySelector('#reset').click());
  await studio.until(() => Number(document.querySelector('#view').dataset.time) < 0.8);
}

/** PNG to WebP, or to a smaller PNG, by the browser itself. */
async function encode(page, png, width, height, quality, type = 'image/webp') {
  const base64 = await page.evaluate(
    async ({ data, width, height, quality, type }) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(width, height);
      const pen = canvas.getContext('2d');
      pen.imageSmoothingQuality = 'high';
      pen.drawImage(bitmap, 0, 0, width, height);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type, quality })).arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    },
    { data: png.toString('base64'), width, height, quality, type },
  );
  return Buffer.from(base64, 'base64');
}
