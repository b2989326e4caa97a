// Imports a TypeScript module of the page into a test.

import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

/** `path` is relative to web/src, without its ending. */
export async function load(path) {
  const file = fileURLToPath(new URL(`../src/${path}.ts`, import.meta.url));
  const { module } = await runnerImport(file, { configFile: false, logLevel: 'error' });
  return module;
}
