// Pictures of the pages of single things, light and dark, desktop and phone. `npm run screenshots`

import { mkdirSync } from 'node:fs';

import { test } from 'vitest';

import { SETTINGS, asEnded, inSlurm, placesOf, things, type Things } from './things';
import { tour } from './tour';

const FOLDER = 'screenshots';
const SIZES = { desktop: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };

let made: Things;
const { service, visit } = tour({ settings: SETTINGS, timeout: 120_000, prepare: async (service) => void (made = await things(service)) });

test('every thing with a page of its own has its picture', async () => {
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const { page } = await visit('', { colorScheme, viewport, reducedMotion: 'reduce' });
      const picture = (name: string) => page.screenshot({ path: `${FOLDER}/${name}-${size}-${colorScheme}.png`, fullPage: true });
      for (const [name, [place, ready]] of Object.entries(placesOf(made))) {
        if (name === 'reservation') await inSlurm(page, made.reservation);
        await page.goto(`${service.url}${place}`);
        await page.getByText(ready).first().waitFor();
        await page.waitForTimeout(1200);
        await picture(name);
      }
      await page.unrouteAll();
      await asEnded(page, made.reservation);
      await page.goto(`${service.url}${placesOf(made).reservation?.[0]}`);
      await page.getByText(/^By the ledger/).waitFor();
      await page.waitForTimeout(1200);
      await picture('reservation-ended');
      await page.context().close();
    }
  }
});
