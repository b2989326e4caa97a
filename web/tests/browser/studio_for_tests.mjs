// What the tests of one file share: a browser, a studio's server, and pages that close with their test.

import { after, before } from 'node:test';
import { launch } from './chromium.mjs';
import { Server } from './server.mjs';
import { StudioPage } from './studio_page.mjs';

class StudioForTests {
  browser;
  server;

  /** A page for one test, which closes however the test ends. */
  async open(context, options) {
    const studio = await this.openForAll(options);
    context.after(() => studio.close());
    return studio;
  }

  /** A page for all tests of the file. */
  openForAll(options) {
    return StudioPage.open(this.browser, this.server.url, options);
  }

  /** Ends the server and starts another at the same address, when `between` is done. */
  async restart(between) {
    const { port } = this.server;
    await this.server.stop();
    await between();
    this.server = await Server.start(port);
  }
}

/** Starts browser and server before the tests of a file and ends them after; `prepare` runs when both are there. */
export function studioForTests(prepare) {
  const shared = new StudioForTests();
  before(async () => {
    [shared.browser, shared.server] = await Promise.all([launch(), Server.start()]);
    await prepare?.(shared);
  });
  after(async () => {
    await shared.browser?.close();
    await shared.server?.stop();
  });
  return shared;
}
