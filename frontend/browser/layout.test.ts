// Nothing lies over anything else, at any width and in print.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { NEGOTIATION, peak } from './peak';
import { overlaps } from './overlaps';
import { READY, hours, tour } from './tour';

const WIDTHS = [390, 768, 820, 1024, 1280, 1440, 2560];

interface Made {
  id: string;
  offers: { offer_id: string }[];
}
const { service, visit } = tour({
  settings: NEGOTIATION,
  timeout: 90_000,
  prepare: async (service) => {
    await peak(service, 12);
    await service.call('POST', 'outages', { nodes: ['aube-20', 'aube-21'], reason: 'new power supplies', end: hours(9) });
    for (const [index, nodes] of [3, 12, 44].entries()) {
      const request = { nodes, duration_s: 5400, earliest_start: hours(30 + 3 * index), latest_start: hours(31 + 3 * index) };
      const made = await service.call<Made>('POST', 'reservations', request).catch(() => null);
      if (made && index < 2) await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    }
  },
});

/** Answers quotes with so many offers, each with a value as long as values get. */
async function offerMany(page: Page, many: number): Promise<void> {
  await page.route('**/api/v1/quotes', async (route) => {
    const answer = await route.fetch();
    const decision = (await answer.json()) as { decision: string; offers: Record<string, unknown>[] };
    const rankings = ['energy_cost_co2', 'energy_co2_cost', 'cost_energy_co2', 'co2_cost_energy'];
    const offers = Array.from({ length: many }, (_, index) => ({
      ...decision.offers[0], cost: 1234.56 + index, co2_g: 123_456, rankings: [rankings[index % rankings.length]],
    }));
    await route.fulfill({ response: answer, json: { ...decision, decision: 'choice', offers } });
  });
}

for (const width of WIDTHS) {
  test(`no two texts collide at ${width} pixels`, { timeout: 60_000 }, async () => {
    const { page } = await visit('', { viewport: { width, height: 900 } });
    const found: Record<string, string[]> = {};
    for (const [name, text] of Object.entries(READY)) {
      await page.goto(`${service.url}#/${name}`);
      await page.getByText(text).first().waitFor();
      await page.waitForTimeout(300);
      found[name] = await overlaps(page);
    }
    await page.goto(`${service.url}#/reservations?whose=all`);
    await page.getByRole('button', { name: 'Calendar file' }).first().waitFor();
    found['all reservations'] = await overlaps(page);
    await offerMany(page, 4);
    await page.goto(`${service.url}#/plan`);
    await page.reload();
    await page.getByText('1,238 EUR').waitFor();
    found['four offers'] = await overlaps(page);
    expect(Object.entries(found).filter(([, pairs]) => pairs.length > 0)).toEqual([]);
  });
}

test('no two texts collide in print, where nothing asks to be pressed', async () => {
  const { page } = await visit('#/reservations?whose=all', { viewport: { width: 718, height: 1000 } });
  await page.getByRole('button', { name: 'Calendar file' }).first().waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await overlaps(page)).toEqual([]);
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole('navigation', { name: 'Pages', exact: true }).isVisible()).toBe(false);
});

test('what was booked can be printed', async () => {
  const { page } = await visit('#/plan?nodes=2', { viewport: { width: 688, height: 1000 } });
  await page.getByRole('button', { name: /^Book / }).first().click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await overlaps(page)).toEqual([]);
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  expect(await page.getByLabel('For how long').isVisible()).toBe(false);
  expect(await page.evaluate('getComputedStyle(document.querySelector("svg")).printColorAdjust')).toBe('exact');
});

test('no two offers have the same name', async () => {
  const { page } = await visit();
  await offerMany(page, 4);
  await page.reload();
  await page.getByText('1,238 EUR').waitFor();
  const names = await page.getByRole('heading', { level: 3, name: /^Offer / }).allTextContents();
  expect(new Set(names.map((name) => name.replace(/^.*: /, ''))).size).toBe(names.length);
});

test('every page can be gone to on a phone', async () => {
  const { page } = await visit('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const pages = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link');
  await pages.first().waitFor();
  expect(await pages.count()).toBe(9);
  for (const link of await pages.all()) {
    const box = await link.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  }
});
