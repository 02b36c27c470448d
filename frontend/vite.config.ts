import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

import { compress } from './build/compress.ts';

const service = process.env.WATTBOOK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  // Relative, so that the page also works behind a proxy under a path.
  base: './',
  plugins: [svelte(), compress()],
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { '/api': service, '/health': service } },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      {
        plugins: [svelte()],
        test: {
          name: 'browser',
          include: ['browser/*.test.ts'],
          exclude: ['browser/inspect-*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Each file has a service and a browser of its own, and mostly waits.
          maxWorkers: 2,
          // On a machine that does much else at once; one that needs it is named in the output.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        plugins: [svelte()],
        test: {
          name: 'inspections',
          include: ['browser/inspect-*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        plugins: [svelte()],
        test: {
          name: 'measurements',
          include: ['browser/frames.ts', 'browser/many.ts', 'browser/tasks.ts', 'browser/timings.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [svelte()],
        test: {
          name: 'screenshots',
          include: ['browser/screenshots*.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
