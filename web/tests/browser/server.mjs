// The studio's server as a process of its own, as people run it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from './patience.mjs';

const ROOT = new URL('../../../', import.meta.url);
/** For work on the page: the address of a studio that already runs. */
const RUNNING = process.env.THENAR_STUDIO_URL;
const ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)\S*/;

/** The binary `thenar`: `THENAR` names it, or the release build of this workspace. */
export function thenar() {
  const target = process.env.CARGO_TARGET_DIR ? `${process.env.CARGO_TARGET_DIR}/` : fileURLToPath(new URL('target/', ROOT));
  const path = process.env.THENAR ?? `${target}release/thenar${process.platform === 'win32' ? '.exe' : ''}`;
  if (!existsSync(path)) throw new Error(`${path} does not exist: build it with cargo build --release -p thenar-cli`);
  return path;
}

export class Server {
  output = '';

  /** Starts on that port, or on any free one; resolves when the address has been printed. */
  static async start(port = 0) {
    const server = new Server();
    if (RUNNING && port === 0) {
      server.url = RUNNING;
      return server;
    }
    server.process = spawn(thenar(), ['studio', '--no-open', '--port', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
    server.url = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        server.output += chunk;
        const found = ADDRESS.exec(server.output);
        if (found) resolve(`http://127.0.0.1:${found[1]}/`);
      };
      server.process.stdout.on('data', read);
      server.process.stderr.on('data', read);
      server.process.once('exit', (code) => reject(new Error(`thenar studio ended with ${code}: ${server.output}`)));
      setTimeout(() => reject(new Error(`thenar studio printed no address: ${server.output}`)), PATIENCE).unref();
    });
    return server;
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  /** True if the server is ours to stop. */
  get isOurs() {
    return this.process !== undefined;
  }

  async stop() {
    if (!this.isOurs || this.process.exitCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'exit');
  }
}
