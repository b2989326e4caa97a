// A browser for the tests: Chromium as the system has it, drawing without a graphics card.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { PATIENCE } from './patience.mjs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'];

/** Where Chromium is, or nothing. `THENAR_CHROMIUM` names another one. */
export function findChromium() {
  return process.env.THENAR_CHROMIUM ?? PLACES.find((place) => existsSync(place));
}

export async function launch() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium was not found: install it (Debian: apt-get install chromium) or name it in THENAR_CHROMIUM');
  return chromium.launch({
    executablePath,
    timeout: PATIENCE,
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
