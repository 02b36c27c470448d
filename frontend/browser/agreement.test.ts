// Sources that disagree: told where they are looked at, and who was right later. Prices come as files, so that one of two can be wrong.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';

import type { FeedsDocument } from '../src/api/schema';
import { violations } from './axe';
import { overlaps } from './overlaps';
import { day } from './peak';
import { hours, tour } from './tour';

// What changes in a file is seen with the next poll.
vi.setConfig({ testTimeout: 90_000 });
const folder = mkdtempSync(join(tmpdir(), 'wattbook-prices-'));
const fileOf = (source: string) => join(folder, `${source}.csv`);
const onHour = (ahead: number) => hours(ahead).replace(/:\d\d:\d\dZ/, ':00:00Z');

/** Writes what a source says: 50 EUR/MWh throughout, but over spans that are named. */
function write(source: string, others: readonly (readonly [from: string, to: string, price: number])[] = []): void {
  const lines = ['start,end,price_per_mwh'];
  let reached = day(-2);
  for (const [from, to, price] of others) {
    lines.push(`${reached},${from},50`, `${from},${to},${price}`);
    reached = to;
  }
  writeFileSync(fileOf(source), [...lines, `${reached},${day(40)},50`, ''].join('\n'));
}
const feed = (id: string) => `
[[feeds]]
id = "${id}"
quantity = "price"
provider = "file-drop"
path = "${fileOf(id)}"
binding = true
poll = { poll_every_s = 5, catch_up_s = 0 }
`;
write('auction');
write('mirror', [[onHour(-3), onHour(-1), 62], [day(1, 10), day(1, 12), 80]]);

const { service, visit } = tour({
  settings: `${feed('auction')}${feed('mirror')}\n[agendas.price]\nchain = ["auction", "mirror"]\n`,
  timeout: 120_000,
  prepare: begin,
});
/** What the demonstration put counts before any source: without it, sources are compared. */
async function begin(): Promise<void> {
  await service.call('DELETE', `agendas/price?from=${day(-30)}&to=${day(60)}`);
  await disagreements(2);
}
/** Waits until there are so many. */
async function disagreements(many: number): Promise<void> {
  for (;;) {
    const { agendas } = await service.call<FeedsDocument>('GET', 'feeds');
    if (agendas.find((it) => it.quantity === 'price')?.disagreements.length === many) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}

const feeds = (page: Page) => page.getByRole('region', { name: 'Feeds' });
const AHEAD = new RegExp(
  '^auction and mirror disagree on the price .* to .*\\. They are furthest apart .*: auction says 50 EUR/MWh and mirror says 80 EUR/MWh\\. ' +
    'The difference is 30 EUR/MWh\\. The agenda takes 50 EUR/MWh from auction, the first fresh source in the order of the settings\\.$',
);

test('the list of feeds tells which sources disagree, when and by how much, and what is taken', async () => {
  const { page, faults } = await visit('#/grid');
  await feeds(page).getByText(AHEAD).waitFor();
  await feeds(page).getByText(/mirror says 62 EUR\/MWh\. The difference is 12 EUR\/MWh\./).waitFor();
  await feeds(page).getByText(/^This was found /).waitFor();
  const rows = feeds(page).getByRole('listitem');
  await rows.filter({ hasText: '(mirror)' }).getByText(/^It disagrees with auction, /).waitFor();
  await rows.filter({ hasText: '(auction)' }).getByText(/^It disagrees with mirror, /).waitFor();
  await page.getByLabel('Language').selectOption('Français');
  await page.getByText(/^auction et mirror divergent sur le prix, .* Le calendrier retient 50 EUR\/MWh de auction/).first().waitFor();
  expect(faults).toEqual([]);
});

test('a page of a source tells who was right', async () => {
  const { page, faults } = await visit('#/grid/sources/mirror');
  await page.getByRole('region', { name: 'What comes of it' }).getByText(AHEAD).waitFor();
  const right = page.getByRole('region', { name: 'Who was right: Price' });
  await right.getByText(/^It is known what came true of .*\. The sources disagreed 1 time, for 2 h in all\.$/).waitFor();
  const row = (source: string) => right.getByRole('row').filter({ has: page.getByRole('rowheader', { name: source, exact: true }) });
  await row('mirror').getByText('0 of 1 (0 %)').waitFor();
  await row('mirror').getByText('12 EUR/MWh', { exact: true }).waitFor();
  await row('auction').getByText('1 of 1 (100 %)').waitFor();
  await row('auction').getByText(/^its own measurements: /).waitFor();
  await row('auction').getByRole('link', { name: 'auction', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Source auction' }).waitFor();
  expect(faults).toEqual([]);
});

for (const width of [390, 768, 1280]) {
  test(`what disagrees and who was right fit at ${width} pixels, and everybody can read them`, async () => {
    const { page } = await visit('', { viewport: { width, height: 900 }, bypassCSP: true });
    for (const [place, ready] of [['#/grid', AHEAD], ['#/grid/sources/mirror', '0 of 1 (0 %)']] as const) {
      await page.goto(`${service.url}${place}`);
      await page.getByText(ready).first().waitFor();
      expect(await overlaps(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    }
  });
}

test('a disagreement goes once the sources agree', async () => {
  const grid = await visit('#/grid');
  await feeds(grid.page).getByText(AHEAD).waitFor();
  const source = await visit('#/grid/sources/mirror');
  const right = source.page.getByRole('region', { name: 'Who was right: Price' });
  await right.getByText('0 of 1 (0 %)').waitFor();
  // Who was right is asked again when it is told that they agree.
  const again = source.page.waitForRequest((request) => request.url().endsWith('/api/v1/agendas/price/agreement'), { timeout: 60_000 });
  write('mirror');
  await service.call('POST', 'feeds/mirror/refresh');
  await disagreements(0);
  await again;
  for (const { page } of [grid, source]) await page.getByText(/disagree on the price/).first().waitFor({ state: 'detached' });
  // What it had said stays, and is judged.
  await right.getByText('0 of 1 (0 %)').waitFor();
  expect([...grid.faults, ...source.faults]).toEqual([]);
});

test('where nothing is known yet a sentence says so, and users are not shown who was right', async () => {
  const { page } = await visit();
  let answer = () => {};
  const held = new Promise<void>((done) => (answer = done));
  await page.route('**/api/v1/agendas/price/agreement', async (route) => {
    await held;
    const response = await route.fetch({ maxRetries: 3 });
    await route.fulfill({ response, json: { ...((await response.json()) as object), judged_s: 0, disagreements: 0, apart_s: 0 } });
  });
  await page.goto(`${service.url}#/grid/sources/mirror`);
  const right = page.getByRole('region', { name: 'Who was right: Price' });
  await right.getByText('Reading it …').waitFor();
  answer();
  await right.getByText(/^Nothing is known yet, .*\. Two sources must have said something about the same hours, and one must have measured them\.$/).waitFor();
  expect(await right.getByRole('table').count()).toBe(0);
  expect(await right.getByText('Reading it …').count()).toBe(0);

  const token = service.token('ada');
  const ada = await visit('#/grid/sources/mirror');
  const asked: string[] = [];
  ada.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await ada.page.getByLabel('Token').fill(token);
  await ada.page.getByRole('button', { name: 'Sign in' }).click();
  await ada.page.getByRole('region', { name: 'What it said' }).waitFor();
  await ada.page.getByText('ada, user').waitFor();
  await ada.page.waitForTimeout(1000);
  expect(await ada.page.getByText(/^Who was right/).count()).toBe(0);
  expect(asked.filter((path) => path.endsWith('/agreement'))).toEqual([]);
  expect(ada.faults).toEqual([]);
});
