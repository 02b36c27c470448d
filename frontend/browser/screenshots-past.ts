// Pictures of pages that look back: a month's report and what it would have cost, on screen and on paper. `npm run screenshots`

import { mkdirSync } from 'node:fs';

import { test } from 'vitest';

import { lastMonth, past } from './past';
import { tour } from './tour';

const FOLDER = 'screenshots';
const SIZES = { desktop: { width: 1360, height: 900 }, phone: { width: 390, height: 844 }, wide: { width: 2560, height: 1200 } };

const { visit } = tour({ begin: past, timeout: 180_000 });

test('a month behind has its pictures', async () => {
  mkdirSync(FOLDER, { recursive: true });
  const { page: first } = await visit(`#/simulate?month=${lastMonth()}`);
  await first.getByRole('button', { name: 'Play it' }).click();
  await first.getByText('Files:').waitFor({ timeout: 60_000 });
  const pages = { reports: [`#/reports?month=${lastMonth()}`, 'Saved by user'], simulate: [new URL(first.url()).hash, 'Files:'] } as const;
  for (const [name, [address, text]] of Object.entries(pages)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const { page } = await visit(address, { colorScheme, viewport, reducedMotion: 'reduce' });
        await page.getByText(text).first().waitFor();
        await page.screenshot({ path: `${FOLDER}/${name}-month-${size}-${colorScheme}.png`, fullPage: true });
        await page.context().close();
      }
    }
    const { page } = await visit(address);
    await page.getByText(text).first().waitFor();
    await page.pdf({ path: `${FOLDER}/${name}-month.pdf`, format: 'A4' });
  }
});
