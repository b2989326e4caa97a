// One page of the studio, and what tests want to know of it.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OUT = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(OUT, { recursive: true });

export class StudioPage {
  problems = [];
  requests = [];

  /** `init` runs in the page before its own scripts. */
  static async open(browser, url, { width = 1280, height = 720, theme = 'light', init, query = '', touch = false } = {}) {
    const studio = new StudioPage();
    studio.context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, acceptDownloads: true });
    studio.context.setDefaultTimeout(120_000); // drawing without a graphics card on a busy machine
    studio.page = await studio.context.newPage();
    studio.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') studio.problems.push(`${message.type()}: ${message.text()}`);
    });
    studio.page.on('pageerror', (error) => studio.problems.push(`error: ${error.message}`));
    studio.page.on('request', (request) => studio.requests.push(request.url()));
    for (const script of init ?? []) await studio.page.addInitScript(script);
    await studio.page.goto(url + query);
    return studio;
  }

  /** A value that the page states of itself. */
  data(name) {
    return this.page.evaluate((key) => document.querySelector('#view').dataset[key], name);
  }

  async number(name) {
    return Number(await this.data(name));
  }

  /** Waits until the page has drawn that many frames in all. */
  frames(count) {
    return this.until((wanted) => Number(document.querySelector('#view').dataset.frames ?? 0) >= wanted, count);
  }

  until(condition, argument, timeout = 120_000) {
    return this.page.waitForFunction(condition, argument, { timeout, polling: 100 });
  }

  /** Height of the first loose object, metres. */
  height() {
    return this.number('height');
  }

  async openSection(id) {
    if (!(await this.page.$eval(`#section-${id}`, (section) => section.open))) await this.page.click(`#section-${id} summary`);
  }

  async picture(name) {
    await this.page.screenshot({ path: `${OUT}${name}.png` });
  }

  /** Where the middle of the hand is drawn, pixels. */
  handPlace() {
    return this.page.evaluate(() => {
      const [x, y] = (document.querySelector('#view').dataset.hand ?? '').split(' ').map(Number);
      return { x, y };
    });
  }

  close() {
    return this.context.close();
  }
}
