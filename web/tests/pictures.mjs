// Makes the README's pictures of the studio: npm run pictures

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { animatedWebp } from './animated_webp.mjs';
import { launch } from './browser/chromium.mjs';
import { Server } from './browser/server.mjs';
import { StudioPage } from './browser/studio_page.mjs';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const FROM = 0.9;
const TO = 4.3;
const FRAMES_PER_SECOND = 12;
const FILM = { width: 720, height: 405 };

const [browser, server] = await Promise.all([launch(), Server.start()]);
try {
  const encoder = await (await browser.newContext()).newPage();
  await still('studio', 'light', encoder, []);
  await still('studio-dark', 'dark', encoder, ['pressure', 'forces']);
  await film(encoder);
} finally {
  await browser.close();
  await server.stop();
}

/** The whole page while the hand holds the ball. */
async function still(name, theme, encoder, shown) {
  const studio = await StudioPage.open(browser, server.url, { theme, query: '?quality=high' });
  await studio.page.evaluate(() => localStorage.setItem('thenar.lifted', 'yes'));
  await studio.page.reload();
  await studio.frames(2);
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

/** The scene alone, from reaching for the ball to squeezing it. */
async function film(encoder) {
  const studio = await StudioPage.open(browser, server.url, { ...FILM, theme: 'light', query: '?quality=high' });
  await studio.page.addStyleTag({ content: '.panel, #hint, #toasts, #legend { display: none !important } #view { position: fixed !important; inset: 0 !important; margin: 0 !important; width: 100vw !important; height: 100vh !important }' });
  await studio.frames(2);
  await studio.page.evaluate(() => {
    window.dispatchEvent(new Event('resize'));
    for (const key of ['pressure', 'forces']) document.querySelector(`[data-show="${key}"]`).click();
    document.querySelector('#frame-view').click();
  });
  await restart(studio);
  await studio.page.evaluate(() => [1, 2, 3].forEach((k) => setTimeout(() => document.querySelector('#speed').click(), k * 150)));
  const frames = [];
  for (let time = FROM; time < TO; time += 1 / FRAMES_PER_SECOND) {
    await studio.until((wanted) => Number(document.querySelector('#view').dataset.time) >= wanted, time);
    frames.push(await encode(encoder, await studio.page.screenshot(), FILM.width, FILM.height, 0.72));
  }
  // There and back again, so that the loop has no jump.
  const loop = [...frames, ...frames.slice(1, -1).reverse()];
  writeFileSync(`${DOCS}studio-lift.webp`, animatedWebp(loop, FILM.width, FILM.height, Math.round(1000 / FRAMES_PER_SECOND)));
  await studio.close();
}

async function restart(studio) {
  await studio.page.evaluate(() => document.querySelector('#reset').click());
  await studio.until(() => Number(document.querySelector('#view').dataset.time) < 0.8);
}

/** PNG to WebP, by the browser itself. */
async function encode(page, png, width, height, quality) {
  const base64 = await page.evaluate(
    async ({ data, width, height, quality }) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext('2d').drawImage(bitmap, 0, 0, width, height);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    },
    { data: png.toString('base64'), width, height, quality },
  );
  return Buffer.from(base64, 'base64');
}
