import { defineConfig } from 'vite';

// The studio server embeds `dist/`; everything the page needs is in it.
const server = process.env['THENAR_SERVER'] ?? 'http://127.0.0.1:4400';

export default defineConfig({
  base: '/',
  build: { outDir: 'dist', assetsDir: 'assets', target: 'es2022', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1200 },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/live': { target: server, ws: true },
      '/scenes': server,
      '/recording.mcap': server,
      '/health': server,
    },
  },
});
