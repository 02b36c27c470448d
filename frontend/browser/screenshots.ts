// Pictures of every page, light and dark, desktop and phone. `npm run screenshots`

import { copyFileSync, mkdirSync } from 'node:fs';

import { test } from 'vitest';

import { READY, hours, tour } from './tour';

const FOLDER = 'screenshots';
const PAGES = ['overview', 'plan', 'reservations', 'schedule', 'nodes', 'nodes?tab=outages', 'nodes?tab=switching', 'nodes?tab=calibration', 'grid', 'reports', 'simulate', 'account'];
const SIZES = { desktop: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };
/** What the README shows. */
const SHOWN = ['overview-desktop-light', 'plan-desktop-light', 'schedule-desktop-light', 'nodes-tab-calibration-desktop-dark', 'grid-desktop-light'];

// What plain `make demo` shows.
const { service, visit } = tour({ settings: null });

test('every page has its picture', async () => {
  mkdirSync(FOLDER, { recursive: true });
  await service.call('POST', 'outages', { nodes: ['aube-20', 'aube-21'], reason: 'new power supplies', end: hours(9) });
  // Offers that somebody thinks about, for the schedule to show.
  const request = { nodes: 12, duration_s: 10_800, earliest_start: hours(0.1), latest_start: hours(20) };
  await service.call('POST', 'reservations', request);
  const experiment = { name: 'What waiting saves', parameters: { nodes: 44, requests: 20, runs: 4 } };
  await service.call('POST', 'simulations', experiment);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const { page } = await visit('', { colorScheme, viewport, reducedMotion: 'reduce' });
      for (const name of PAGES) {
        await page.goto(`${service.url}#/${name}${name === 'reservations' ? '?whose=all' : ''}`);
        await page.getByText(READY[name] ?? '').first().waitFor();
        if (name === 'simulate') {
          await page.getByRole('checkbox', { name: 'What waiting saves' }).check();
          await page.getByText('Files:').waitFor();
        }
        await page.waitForTimeout(1200);
        await page.screenshot({ path: `${FOLDER}/${name.replace(/\W+/g, '-')}-${size}-${colorScheme}.png`, fullPage: name !== 'reservations' });
      }
      await page.goto(`${service.url}#/overview?kiosk`);
      await page.getByRole('heading', { name: /need/ }).waitFor();
      await page.screenshot({ path: `${FOLDER}/kiosk-${size}-${colorScheme}.png` });
      await page.context().close();
    }
  }
  for (const name of SHOWN) copyFileSync(`${FOLDER}/${name}.png`, `../docs/page-${name.split('-')[0]}.png`);
});
