// What others do appears by itself, and nothing is asked for more often than it must be.

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import { hours, tour } from './tour';

const { service, visit } = tour();
const tokens = { ada: '', bob: '' };

beforeAll(() => {
  for (const name of ['ada', 'bob'] as const) tokens[name] = service.token(name);
});

/** A reservation for two hours, so many days ahead; it is only held unless `confirm`. */
async function reserve(name: 'ada' | 'bob', days: number, confirm = true): Promise<string> {
  const [earliest_start, latest_start] = [hours(24 * days), hours(24 * days + 6)];
  const request = { nodes: 2, duration_s: 7200, earliest_start, latest_start };
  const made = await service.call<{ id: string; offers: { offer_id: string }[] }>('POST', 'reservations', request, tokens[name]);
  const offer = { offer_id: made.offers[0]?.offer_id };
  if (confirm) await service.call('POST', `reservations/${made.id}/choose`, offer, tokens[name]);
  return made.id;
}
const cancel = (name: 'ada' | 'bob', id: string) => service.call('DELETE', `reservations/${id}`, undefined, tokens[name]);

/** Ada at a page, which will never be loaded again. */
async function ada(name: string, prepare?: (page: Page) => Promise<unknown>) {
  const watched = await visit(`#/${name}`);
  const { page } = watched;
  await page.getByLabel('Token').waitFor();
  await prepare?.(page);
  await page.getByLabel('Token').fill(tokens.ada);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.evaluate('window.loaded = true');
  return watched;
}
const sameLoad = (page: Page) => page.evaluate<boolean>('window.loaded === true');

test('what another user books and cancels appears on the schedule by itself', async () => {
  const { page, faults } = await ada('schedule');
  const theirs = page.getByRole('cell', { name: 'bob' }).first();
  await page.getByText('in view').waitFor();
  expect(await theirs.count()).toBe(0);
  const id = await reserve('bob', 0.3);
  await theirs.waitFor();
  await cancel('bob', id);
  await theirs.waitFor({ state: 'detached' });
  expect(await sameLoad(page)).toBe(true);
  expect(faults).toEqual([]);
});

test('what somebody books elsewhere appears in their list', async () => {
  const { page, faults } = await ada('reservations');
  await page.getByRole('heading', { name: 'My reservations' }).waitFor();
  const rows = page.getByRole('listitem').filter({ hasText: 'Booked' });
  const id = await reserve('ada', 2);
  await rows.first().waitFor();
  await reserve('bob', 2);
  await cancel('ada', id);
  await rows.first().waitFor({ state: 'detached' });
  expect(await sameLoad(page)).toBe(true);
  expect(faults).toEqual([]);
});

test('a flood of changes is no flood of requests', async () => {
  const { page } = await ada('schedule');
  await page.getByText('in view').waitFor();
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().includes('/occupancy'))));
  const began = Date.now();
  let id = '';
  for (let round = 0; round < 25; round += 1) {
    if (id) await cancel('bob', id);
    id = await reserve('bob', 0.3, round === 24);
  }
  await page.getByRole('cell', { name: 'bob' }).first().waitFor();
  // Two for a look at so few nodes, at most one look in two seconds, one more for the last change.
  const most = 2 * (Math.ceil((Date.now() - began) / 2000) + 1);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(most);
  await cancel('bob', id);
});

test('a lost connection is noticed by itself, and what happened meanwhile appears', async () => {
  const { page, faults } = await ada('schedule');
  await page.getByText('in view').waitFor();
  const lost = page.getByText('The service is out of reach. What you see may be old');
  await service.kill();
  await lost.waitFor();
  await service.start();
  const first = await reserve('bob', 0.3);
  await lost.waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'bob' }).first().waitFor();
  await cancel('bob', first);
  await page.getByRole('cell', { name: 'bob' }).first().waitFor({ state: 'detached' });
  expect(await sameLoad(page)).toBe(true);
  expect(faults).toEqual([]);
});

test('where no stream can be had, changes appear all the same, a little later', async () => {
  const refuse = (page: Page) => page.route('**/api/v1/events', (route) => route.fulfill({ status: 503 }));
  const { page, faults } = await ada('schedule', refuse);
  await page.getByText('in view').waitFor();
  const id = await reserve('bob', 0.3);
  await page.getByRole('cell', { name: 'bob' }).first().waitFor({ timeout: 25_000 });
  await cancel('bob', id);
  expect(await sameLoad(page)).toBe(true);
  expect(faults).toEqual([]);
});

test('a page that is looked at again goes on where it was', async () => {
  const { page } = await ada('schedule');
  await page.getByText('in view').waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/events')) asked.push(request.headers()['last-event-id'] ?? '');
  });
  const show = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await show('hidden');
  const id = await reserve('bob', 0.3);
  await show('visible');
  await page.getByRole('cell', { name: 'bob' }).first().waitFor();
  expect(asked).toHaveLength(1);
  expect(Number(asked[0])).toBeGreaterThan(0);
  await cancel('bob', id);
});
