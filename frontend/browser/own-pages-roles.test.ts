// What each role sees on the pages of single things, and what it is told where it may not see them.

import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';

import { SETTINGS, placesOf, things, type Things } from './things';
import { tour } from './tour';

// Each goes through several pages.
vi.setConfig({ testTimeout: 120_000 });

const { service, visit } = tour({ settings: SETTINGS, timeout: 120_000 });
const tokens = { ada: '', bob: '', grid: '', ops: '' };
let made: Things;

beforeAll(async () => {
  tokens.ada = service.token('ada');
  tokens.bob = service.token('bob');
  tokens.grid = service.token('grid', 'supplier');
  tokens.ops = service.token('ops', 'operator');
  made = await things(service, { token: tokens.ops, user: tokens.ada });
}, 120_000);

async function signedIn(name: keyof typeof tokens, place: string): Promise<Page> {
  const { page } = await visit(place);
  await page.getByLabel('Token').fill(tokens[name]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(new RegExp(`^${name}, `)).waitFor();
  return page;
}

test('an owner sees what is theirs, and is told who may see more', async () => {
  const places = placesOf(made);
  const page = await signedIn('ada', places.reservation?.[0] ?? '');
  await page.getByText('What came is told once it has begun.').waitFor();
  await page.getByText(/^today .*: it was asked for$|^yesterday .*: it was asked for$/).waitFor();
  await page.getByText('Who changed it and when is in the audit trail, which operators read.').waitFor();
  await page.goto(`${service.url}${places.node?.[0]}`);
  await page.getByRole('heading', { name: /^Calibration/ }).waitFor();
  expect(await page.getByText(/^Measured power/).count()).toBe(0);
  await page.goto(`${service.url}${places.source?.[0]}`);
  await page.getByRole('heading', { name: 'What it said' }).waitFor();
  expect(await page.getByRole('button', { name: 'Ask now' }).count()).toBe(0);
  await page.goto(`${service.url}${places.negotiation?.[0]}`);
  await page.getByText(/^This page is not for you: /).waitFor();
  await page.getByRole('link', { name: 'Go to Grid' }).click();
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('somebody else’s reservation and simulation are not there, and no list leads there', async () => {
  const places = placesOf(made);
  const page = await signedIn('bob', places.reservation?.[0] ?? '');
  const none = page.getByText(/There is none of this name, or it is not yours to see/);
  await none.waitFor();
  await page.goto(`${service.url}${places.simulation?.[0]}`);
  await none.waitFor();
  await page.goto(`${service.url}${places.node?.[0]}`);
  const row = page.getByRole('row', { name: / Reservation: booked ada\b/ });
  await row.first().waitFor();
  expect(await row.getByRole('link').count()).toBe(0);
});

test('a supplier answers on the page of a negotiation, and is led out of what is not theirs', async () => {
  const places = placesOf(made);
  const page = await signedIn('grid', places.reservation?.[0] ?? '');
  await page.getByText(/^This page is not for you: /).waitFor();
  await page.getByRole('link', { name: 'Go to Overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const name of ['node', 'simulation']) {
    await page.goto(`${service.url}${places[name]?.[0]}`);
    await page.getByText(/^This page is not for you: /).waitFor();
  }
  await page.goto(`${service.url}${places.negotiation?.[0]}`);
  await page.getByRole('region', { name: 'For whom' }).getByText(made.asker).waitFor();
  expect(await page.getByRole('link', { name: made.asker }).count()).toBe(0);
  await page.getByRole('button', { name: 'Grant all of it' }).click();
  await page.getByRole('region', { name: 'What was granted' }).getByText(/set aside for those who asked|in force for everybody/).first().waitFor();
  await page.getByText(/^(Granted, today|Answered)/).first().waitFor();
});

test('an operator sees who did what to a reservation of somebody else', async () => {
  const page = await signedIn('ops', placesOf(made).reservation?.[0] ?? '');
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText(/ada asked for it$/).waitFor();
  await history.getByText(/ada chose an offer$/).waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).waitFor();
});
