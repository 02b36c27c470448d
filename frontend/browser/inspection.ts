// What is wrong with a page in the state that it is in: at every width, light and dark.

import type { Page } from 'playwright-core';

import { violations } from './axe';
import { overlaps } from './overlaps';

const WIDTHS = [390, 768, 1024, 1280, 1440, 2560];
/** Where axe looks as well; what it finds hardly depends on the width. */
const PHONE = 390;
const DESKTOP = 1280;
const HEIGHT = 900;
/** Until charts are drawn anew at another width. */
const SETTLE_MS = 150;

/** What lies over each other, needs scrolling sideways, or keeps people from using the page, each with where it was found. */
export async function inspect(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.waitForTimeout(SETTLE_MS);
    const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (sideways > 0) found.push(`${width} px: ${sideways} px sideways`);
    found.push(...(await overlaps(page)).map((pair) => `${width} px: ${pair}`));
    if (width !== PHONE && width !== DESKTOP) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await violations(page)).map((it) => `${width} px, ${colorScheme}: ${it}`));
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }
  return found;
}
