// Three questions are asked of the service, and answered by what it plays.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { money } from '../src/units/format';
import { violations } from './axe';
import { overlaps } from './overlaps';
import { lastMonth, past } from './past';
import { tour } from './tour';

const { service, visit } = tour({ begin: past, timeout: 180_000 });

interface Summary {
  policies: Record<string, { month: { cost: number; requests: number }; same_requests?: { saved: { cost: number } } | null }>;
}
interface Played {
  state: string;
  summary: Summary | Summary[];
}

const shownId = (page: Page) => /shown=([0-9a-f-]+)/.exec(page.url())?.[1] ?? '';
const read = (page: Page) => service.call<Played>('GET', `simulations/${shownId(page)}`);
const play = (page: Page) => page.getByRole('button', { name: 'Play it' }).click();
const answered = (page: Page) => page.getByText('Files:').waitFor({ timeout: 60_000 });

/** Plays the month to its answer. */
async function playMonth(page: Page): Promise<void> {
  await page.goto(`${service.url}#/simulate?month=${lastMonth()}`);
  await play(page);
  await answered(page);
}

test('what last month would have cost is answered by its total, and stays after loading again', { timeout: 90_000 }, async () => {
  const { page, faults } = await visit('#/simulate');
  expect(await page.getByLabel('Month', { exact: true }).inputValue()).toBe(lastMonth());
  await play(page);
  await answered(page);
  const summary = (await read(page)).summary as Summary;
  const { items } = await service.call<{ items: { start: string | null }[] }>('GET', 'reservations?limit=1000&state=confirmed,active,completed');
  const { cost, requests } = summary.policies.asap_first?.month ?? { cost: NaN, requests: NaN };
  expect(requests).toBe(items.filter(({ start }) => start?.startsWith(lastMonth())).length);
  const lead = `${requests} requests would have taken`;
  await page.getByText(lead).waitFor();
  expect(await page.getByText(lead).textContent()).toContain(money(cost, 'EUR'));
  await page.getByText(/Cheapest first would have cost [\d.]+ % less \(95 % interval: /).waitFor();
  expect(summary.policies.cost_co2_energy?.same_requests?.saved.cost).toBeGreaterThan(0);
  await page.reload();
  await page.getByText(lead).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'requests.csv' }).click();
  expect((await download).suggestedFilename()).toContain('requests.csv');
  expect(faults).toEqual([]);
});

test('another tariff and a CO2 price are answered beside the prices as they are', { timeout: 90_000 }, async () => {
  const { page, faults } = await visit('#/simulate');
  await page.getByRole('button', { name: /What would another tariff/ }).click();
  await page.getByLabel(/^CO₂ price/).fill('250');
  const year = Number(lastMonth().slice(0, 4));
  const flat = `start,end,price_per_mwh\n${year - 1}-01-01T00:00:00Z,${year + 2}-01-01T00:00:00Z,100\n`;
  await page.getByLabel(/^Another tariff/).setInputFiles({ name: 'flat.csv', mimeType: 'text/csv', buffer: Buffer.from(flat) });
  await play(page);
  await answered(page);
  const [usual, dearer, other] = ((await read(page)).summary as Summary[]).map((it) => it.policies.asap_first?.month.cost ?? NaN);
  expect(dearer).toBeGreaterThan(usual ?? NaN);
  const told = (cost = NaN) => `the month would have cost ${money(cost, 'EUR')}, not ${money(usual ?? NaN, 'EUR')}.`;
  await page.getByText(`With 250 EUR a tonne of CO₂: as soon as possible, ${told(dearer)}`).waitFor();
  await page.getByText(`The other tariff: as soon as possible, ${told(other)}`).waitFor();
  await page.reload();
  await page.getByText(told(dearer)).waitFor();
  expect(await page.getByLabel(/^CO₂ price/).inputValue()).toBe('250');
  expect(faults).toEqual([]);
});

test('policies are compared for users, and the cheapest is named', { timeout: 90_000 }, async () => {
  const { page, faults } = await visit('#/simulate?ask=policies');
  await page.getByLabel('Requests in four weeks').fill('20');
  await page.getByLabel('Users may wait, hours').fill('12');
  await play(page);
  await answered(page);
  await page.getByText(/is the cheapest: it costs [\d.]+ % less/).waitFor();
  await page.reload();
  await page.getByText(/is the cheapest/).waitFor();
  expect(await page.getByRole('button', { name: /^Which policy suits/ }).getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByLabel('Users may wait, hours').inputValue()).toBe('12');
  expect(faults).toEqual([]);
});

test('how far it is stands at the question, and it can be cancelled there', async () => {
  const { page } = await visit('#/simulate?ask=policies');
  await page.getByLabel('Requests in four weeks').fill('2000');
  await play(page);
  const far = page.getByRole('group', { name: 'How far the answer is' });
  await far.getByRole('progressbar').waitFor();
  expect(await far.getByRole('status').count()).toBe(1);
  expect(await far.evaluate((it) => it === document.activeElement)).toBe(true);
  await far.getByRole('button', { name: /^Cancel/ }).click();
  await far.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Which policy suits our users: Cancelled.').waitFor();
  expect((await read(page)).state).toBe('cancelled');
});

test('a month of which nothing can be played says so, and what to do', async () => {
  const { page } = await visit('#/simulate');
  const empty = await page.getByLabel('Month', { exact: true }).locator('option').nth(5).getAttribute('value');
  await page.getByLabel('Month', { exact: true }).selectOption(empty);
  await play(page);
  await page.getByText(/there is nothing to play\. Choose another month/).waitFor();
});

test('requests for nodes that are gone are left out, which is told and stays in the name', { timeout: 90_000 }, async () => {
  const { page } = await visit('#/simulate');
  await page.route('**/api/v1/reservations?*', async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as { items: { request: Record<string, unknown> }[] };
    // As if it had been booked before the node was taken away.
    const [first] = json.items;
    if (first) first.request = { ...first.request, nodes: 1, only: ['gone-1'] };
    await route.fulfill({ response: answer, json });
  });
  await play(page);
  await page.getByText(/nodes as they are now cannot serve them: 1 request of \d+\. The first: .*no node is named "gone-1"/).waitFor();
  await answered(page);
  await page.getByRole('heading', { name: /without 1 request that cannot be played/ }).waitFor();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`an answer can be read by everybody, at any width and in print, ${colorScheme}`, { timeout: 90_000 }, async () => {
    const { page } = await visit('#/simulate', { colorScheme, bypassCSP: true });
    await playMonth(page);
    expect(await violations(page)).toEqual([]);
    for (const width of [390, 820, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, ...(await overlaps(page))]).toEqual([width]);
    }
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 688, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    expect(await overlaps(page)).toEqual([]);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.getByText('requests would have taken').waitFor();
  });
}
