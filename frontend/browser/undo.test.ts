// What was cancelled by mistake is booked again, while that is the same.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { hours, tour } from './tour';

interface Made {
  id: string;
  state: string;
  start: string;
  request: { note?: string };
  offers: { offer_id: string }[];
}
const { service, visit } = tour();

/** Books more than half of the nodes so many days ahead. */
async function bookMost(days: number, note: string): Promise<Made> {
  const at = hours(24 * days);
  const request = { nodes: 24, duration_s: 3600, earliest_start: at, latest_start: at, note, search: { mode: 'exact' } };
  const made = await service.call<Made>('POST', 'reservations', request);
  return service.call<Made>('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
}

async function cancelOn(page: Page, note: string): Promise<void> {
  const row = page.locator('.reservation').filter({ hasText: note });
  await row.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Cancelled: its nodes are free again.').waitFor();
}
/** The same while the page's clock stands still: ten seconds last for as long as is needed. */
async function cancelled(page: Page, note: string): Promise<void> {
  await page.clock.setFixedTime(Date.now());
  await cancelOn(page, note);
}
const found = async (note: string) =>
  (await service.call<{ items: Made[] }>('GET', 'reservations?limit=1000')).items.filter((it) => it.request.note === note);

test('undo books the same start again, as a new reservation', async () => {
  const before = await bookMost(20, 'to be undone');
  const { page, faults } = await visit('#/reservations?search=undone');
  await cancelled(page, 'to be undone');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.clock.setSystemTime(Date.now());
  await page.getByText('Booked again: a new reservation with the same start.').waitFor();
  const [old, made] = await found('to be undone');
  expect([old?.state, made?.state]).toEqual(['cancelled', 'confirmed']);
  expect(made?.start).toBe(before.start);
  await page.locator(`#reservation-${made?.id}`).waitFor();
  expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
  expect(faults).toEqual([]);
});

test('undo says so where the nodes are gone', async () => {
  await bookMost(22, 'to be lost');
  const { page } = await visit('#/reservations?search=lost');
  await cancelled(page, 'to be lost');
  await bookMost(22, 'by others');
  await page.getByRole('button', { name: 'Undo' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'What was cancelled stays cancelled.' });
  await alert.waitFor();
  expect(await alert.textContent()).toContain('That start is no longer free.');
  expect((await found('to be lost')).map((it) => it.state)).toEqual(['cancelled']);
});

test('undo is there for ten seconds', { timeout: 90_000 }, async () => {
  await bookMost(24, 'to stay cancelled');
  const { page } = await visit('#/reservations?search=stay');
  await cancelOn(page, 'to stay cancelled');
  await page.getByRole('link', { name: 'Plan it again' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached', timeout: 45_000 });
  await page.getByRole('link', { name: 'Plan it again' }).waitFor();
});
