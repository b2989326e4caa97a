// One page of the studio, and what tests want to know of it.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually, PATIENCE } from './patience.mjs';

const OUT = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(OUT, { recursive: true });

export class StudioPage {
  problems = [];
  requests = [];

  /** `init` runs in the page before its own scripts. */
  static async open(browser, url, { width = 1280, height = 720, theme = 'light', init, query = '', touch = false, phone = false } = {}) {
    const studio = new StudioPage();
    studio.context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, isMobile: phone, acceptDownloads: true });
    studio.context.setDefaultTimeout(PATIENCE);
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

  until(condition, argument) {
    return this.page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 100 });
  }

  /** Waits until a scene shows that began later than the one with that number. */
  begunAfter(run) {
    return this.until((before) => document.querySelector('#view').dataset.run !== before, run);
  }

  /** Waits until time stands still, and says where. */
  timeStands() {
    return eventually('time stands still', async () => {
      const before = await this.number('time');
      await this.page.waitForTimeout(1000); // many times what a last frame is on its way
      return (await this.number('time')) === before ? before : undefined;
    });
  }

  /** Lets the page act on its inputs so many times. */
  turns(count) {
    return this.page.evaluate(async (turns) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, count);
  }

  /** Lets the page act on its inputs, then waits until so many simulated seconds have passed. For hands that people drive: a script would start again. */
  async elapse(seconds) {
    await this.turns(2);
    const end = (await this.number('time')) + seconds;
    await this.until((time) => Number(document.querySelector('#view').dataset.time) >= time, end);
  }

  /** Waits until the hand stands still on the picture, and says where. */
  handRests() {
    return eventually('the hand stands still', async () => {
      const before = await this.handPlace();
      for (let turn = 0; turn < 4; turn++) await this.elapse(0.1);
      const now = await this.handPlace();
      return Math.hypot(now.x - before.x, now.y - before.y) <= 1 ? now : undefined;
    });
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
