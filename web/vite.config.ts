import { defineConfig } from 'vite';

// For work on the page: `npm run dev` takes everything else from a running studio, which must be started with
// `--allow-origin` naming the address that Vite prints. The studio itself embeds `dist/`.
const target = process.env['THENAR_SERVER'] ?? 'http://127.0.0.1:4400';
const proxy = { '/live': { target, ws: true }, '/scenes': target, '/recording.mcap': target, '/health': target };

export default defineConfig({
  base: '/',
  build: { outDir: 'dist', assetsDir: 'assets', target: 'es2022', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1200 },
  server: { host: '127.0.0.1', proxy },
  preview: { host: '127.0.0.1', proxy },
});
