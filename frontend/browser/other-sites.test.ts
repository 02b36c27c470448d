// What another site offers beside this one: a service of its own, which counts CO₂ in another way.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';

import type { SiteOffersDocument } from '../src/api/schema';
import { day } from './peak';
import { Service } from './service';
import { tour } from './tour';

const caps = join(mkdtempSync(join(tmpdir(), 'wattbook-caps-')), 'caps.csv');
writeFileSync(caps, `start,end,cap_w\n${day(-1)},${day(40)},9000\n`);
/** With a source of its own its other agendas are put: their CO₂ is average, and by which factors is not said. */
const lyon = new Service(`
[[feeds]]
id = "dropped"
quantity = "power-cap"
provider = "file-drop"
path = "${caps}"
poll = { poll_every_s = 5, catch_up_s = 0 }
`);
const { visit } = tour({
  timeout: 120_000,
  begin: async (service) => {
    await lyon.start();
    const url = lyon.url.replace(/\/$/, '');
    await service.start({ settings: `location = "paris"\n[[sites]]\nname = "lyon"\nurl = "${url}"\nlocation = "Lyon, France"\n` });
  },
});
afterAll(() => lyon.stop());

const others = (page: Page) => page.getByRole('region', { name: 'Other sites' });
const row = (page: Page, name: string) => others(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) });
const APART = 'These sites count CO₂ in different ways, or do not say how: one site’s CO₂ cannot be compared with another’s.';

test('CO₂ of each site is told with how it is counted, and that it does not compare', async () => {
  const { page, faults } = await visit('#/plan?nodes=2');
  await row(page, 'lyon').getByText('average', { exact: true }).waitFor();
  await row(page, 'paris').getByText(/^average, (direct|life cycle)$/).waitFor();
  await others(page).getByText(APART).waitFor();
  // Nothing is said to be saved between them.
  expect(await others(page).getByText(/% less|% more/).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('nothing is said where all sites count CO₂ alike', async () => {
  const { page, faults } = await visit('');
  await page.route('**/api/v1/site-offers', async (route) => {
    const response = await route.fetch({ maxRetries: 3 });
    const told = (await response.json()) as SiteOffersDocument;
    const sites = told.sites.map((it) => ({ ...it, co2_accounting: { accounting: 'marginal', factors: 'direct' } }));
    await route.fulfill({ response, json: { ...told, sites } });
  });
  await page.goto(`${page.url().split('#')[0]}?alike#/plan?nodes=2`);
  await row(page, 'lyon').getByText('marginal, direct', { exact: true }).waitFor();
  await row(page, 'paris').getByText('marginal, direct', { exact: true }).waitFor();
  expect(await others(page).getByText(APART).count()).toBe(0);
  expect(faults).toEqual([]);
});
