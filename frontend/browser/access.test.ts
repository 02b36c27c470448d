// Accessibility: axe finds nothing on any page, light and dark.

import { expect, test } from 'vitest';

import { violations } from './axe';
import { NEGOTIATION, askForm, peak } from './peak';
import { READY, tour } from './tour';

// With a question to the supplier among what is shown.
const { visit } = tour({ settings: NEGOTIATION, prepare: async (service) => void (await peak(service, 12)) });

const THERE = { ...READY, grid: 'What does the supplier say?', reservations: 'Waiting for the supplier' };

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the supplier can be asked by everybody, ${colorScheme}`, async () => {
    const { page } = await visit('#/plan', { colorScheme, bypassCSP: true });
    await askForm(page, 12);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask the supplier for more power' }).click();
    await page.getByRole('heading', { name: 'Waiting for the supplier' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop asking' }).click();
    await page.getByRole('button', { name: 'Yes, stop' }).click();
    await page.getByText('It waits for the supplier no more.').waitFor();
  });
}

for (const [name, text] of Object.entries(THERE)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${name}, ${colorScheme}, can be used by everybody`, async () => {
      const { page } = await visit(`#/${name}`, { colorScheme, bypassCSP: true });
      await page.getByText(text).first().waitFor();
      expect(await violations(page)).toEqual([]);
    });
  }

  test(`${name} need not be scrolled sideways on a phone`, async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await visit(`#/${name}`, { viewport });
    await page.getByText(text).first().waitFor();
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
  });
}
