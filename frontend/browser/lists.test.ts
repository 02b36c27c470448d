// A long list: a page of it at a time, found by search and order, and what changes is read by itself.

import { expect, test } from 'vitest';

import { hours, tour } from './tour';

const MANY = 120;
interface Made {
  id: string;
  offers: { offer_id: string }[];
}
let one = '';
const { service, visit } = tour({
  timeout: 120_000,
  prepare: async (service) => {
    for (let index = 0; index < MANY; index += 1) {
      const day = 3 + 24 * Math.floor(index / 10);
      const request = { nodes: 1, duration_s: 3600, earliest_start: hours(day), latest_start: hours(day + 23), note: index === 77 ? 'for the review' : `run ${index}` };
      const made = await service.call<Made>('POST', 'reservations', request);
      await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    }
    const { items } = await service.call<{ items: { id: string; owner: string; start: string; request: { note?: string } }[] }>('GET', 'reservations?limit=1000&state=confirmed');
    const mine = items.filter((it) => it.owner === 'local').sort((a, b) => (a.start < b.start ? -1 : 1));
    one = mine.slice(60, 62).find((it) => it.request.note !== 'for the review')?.id ?? '';
  },
});

test('mine come first, fifty at a time, with search and order', async () => {
  const { page, faults } = await visit('#/reservations');
  const rows = page.locator('.reservation');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(50);
  expect(await page.getByLabel('Whose').inputValue()).toBe('mine');
  await page.getByText(`${MANY} reservations, page 1 of 3`).first().waitFor();
  expect(await page.locator('*').count()).toBeLessThan(4000);
  await page.getByRole('button', { name: 'Next' }).first().click();
  await page.getByText('page 2 of 3').first().waitFor();
  await page.getByLabel('Search').fill('the REVIEW');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByText('for the review').waitFor();
  await page.getByLabel('Search').fill('nobody has this');
  await page.getByText('Nothing here has “nobody has this”.').waitFor();
  await page.getByRole('button', { name: 'Show all again' }).click();
  await page.getByLabel('In order').selectOption('made');
  await page.getByText(`run ${MANY - 1}`, { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('an event reads what it is about, and no more', async () => {
  const { page } = await visit('#/reservations?search=run');
  await page.locator('.reservation').first().waitFor();
  await page.waitForTimeout(1500);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
  await service.call('PATCH', `reservations/${one}`, { note: 'run changed elsewhere' });
  await page.getByLabel('Search').fill('changed elsewhere');
  await page.getByText('run changed elsewhere').waitFor();
  const read = asked.filter((it) => it.startsWith('/api/v1/reservations'));
  expect(read).toEqual([`/api/v1/reservations/${one}`]);
});

test('a link to one of many opens its page', async () => {
  const { page } = await visit(`#/reservations/${one}`);
  await page.getByRole('heading', { level: 1, name: 'Reservation of 1 node for 1 h' }).waitFor();
  expect(await page.locator('.reservation').count()).toBe(1);
  await page.locator(`#reservation-${one}`).waitFor();
});

test('cancelling asks, tells, keeps the focus and leads back to the plan', async () => {
  const { page } = await visit('#/reservations?search=review');
  const row = page.locator('.reservation');
  await row.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Keep it' }).click();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
  await row.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Cancelled: its nodes are free again.').waitFor();
  expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
  await page.getByRole('link', { name: 'Plan it again' }).click();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  expect(await page.getByLabel('For how long').inputValue()).toBe('1:00:00');
});
