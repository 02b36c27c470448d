// What is wrong with a page in the state that it is in: at every width, light and dark.

import type { Page } from 'playwright-core';

import { violations } from './axe';
import { overlaps } from './overlaps';

const WIDTHS = [390, 768, 1024, 1280, 1440, 2560];
/** Where axe looks as well; what it finds hardly depends on the width. */
const PHONE = 390;
const DESKTOP = 1280;
const HEIGHT = 900;
/** Rules of axe that depend on the colours, which alone are others in the dark. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** Until charts are drawn anew at another width. */
const SETTLE_MS = 150;

/**
 * What lies over each other, needs scrolling sideways, or keeps people from using the page, each with where it was found. What does
 * not outlast a change of the width is done `again`.
 */
export async function inspect(page: Page, again?: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.waitForTimeout(SETTLE_MS);
    await again?.();
    // What stays in sight above the page lies over what was scrolled.
    await page.evaluate('scrollTo(0, 0)');
    const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (sideways > 0) found.push(`${width} px: ${sideways} px sideways`);
    found.push(...(await overlaps(page)).map((pair) => `${width} px: ${pair}`));
    if (width !== PHONE && width !== DESKTOP) continue;
    found.push(...(await violations(page)).map((it) => `${width} px: ${it}`));
    await page.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await violations(page, COLOURS)).map((it) => `${width} px, dark: ${it}`));
    await page.emulateMedia({ colorScheme: 'light' });
  }
  return found;
}
