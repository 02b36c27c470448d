// The dialogue with the supplier, seen by who asks and by the operator who has the supplier on the telephone.

import { beforeAll, expect, test } from 'vitest';

import { NEGOTIATION, type Made, askForm, day, lower, peak } from './peak';
import { tour } from './tour';

const { service, visit } = tour({ settings: NEGOTIATION });
const tokens = { ada: '', grace: '' };

beforeAll(async () => {
  tokens.ada = service.token('ada');
  tokens.grace = service.token('grace', 'operator');
  await lower(service, day(12), day(13), tokens.grace);
});

async function signedIn(name: 'ada' | 'grace', page: string) {
  const watched = await visit(`#/${page}`);
  await watched.page.getByLabel('Token').fill(tokens[name]);
  await watched.page.getByRole('button', { name: 'Sign in' }).click();
  return watched;
}

test('a peak above the cap is asked for, granted by telephone, offered and booked', async () => {
  const [{ page, faults }, desk] = [await signedIn('ada', 'plan'), await signedIn('grace', 'grid')];
  const dialogue = desk.page.getByRole('region', { name: 'Dialogue with the supplier' });
  await dialogue.waitFor();

  await askForm(page, 12);
  await page.getByLabel('It may cost, EUR').fill('2');
  await page.getByRole('button', { name: 'Ask the supplier for more power' }).click();
  await page.getByRole('heading', { name: 'Waiting for the supplier' }).waitFor();
  await page.getByText(/It has until .* from now; silence is a no/).waitFor();

  await dialogue.getByText(/We need more power than the cap leaves\. We pay 2\.00 EUR for it at most\./).waitFor();
  await dialogue.getByText(/Waits for an answer until/).waitFor();
  await dialogue.getByLabel('For a fee, EUR').fill('1.5');
  await dialogue.getByRole('button', { name: 'Grant all of it' }).click();

  await page.getByRole('heading', { name: /Held for you for/ }).waitFor();
  await page.getByText('1.50 EUR of the cost for extra power').first().waitFor();
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();

  await dialogue.getByText(/^Granted, today/).waitFor();
  await dialogue.getByText('We take it, for 1.50 EUR in all.').waitFor();
  await desk.page.getByRole('region', { name: 'Extra power granted' }).getByText(/in force for everybody/).first().waitFor();
  // What is said is not for users; what was granted is.
  await page.goto(`${service.url}#/grid`);
  await page.getByRole('region', { name: 'Extra power granted' }).waitFor();
  expect(await page.getByText('Dialogue with the supplier').count()).toBe(0);
  await page.goto(`${service.url}#/reservations`);
  await page.getByText('1.50 EUR of the cost for extra power').waitFor();
  expect([...faults, ...desk.faults]).toEqual([]);
});

test('a refusal is told with its reason to who asked', async () => {
  const asked = await peak(service, 16, tokens.grace, tokens.ada);
  expect(asked.state).toBe('awaiting_supplier');
  const [{ page, faults }, desk] = [await signedIn('ada', 'reservations'), await signedIn('grace', 'grid')];
  const request = page.getByRole('heading', { name: '30 nodes for 2 h' });
  await request.waitFor();
  await page.getByText(/the supplier is asked for more power; without an answer it is refused/).waitFor();
  const dialogue = desk.page.getByRole('region', { name: 'Dialogue with the supplier' });
  await dialogue.getByLabel('Why not').fill('the line is full');
  await dialogue.getByRole('button', { name: 'Refuse' }).click();
  await dialogue.getByText('No: the line is full.').waitFor();
  await request.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Past' }).click();
  await page.getByText(/The supplier says no: the line is full\. Ask for fewer nodes/).waitFor();
  expect([...faults, ...desk.faults]).toEqual([]);
});

test('who loses power is told, and shown other starts', async () => {
  const request = { nodes: 30, duration_s: 7200, earliest_start: day(14, 6), latest_start: day(14, 18) };
  const made = await service.call<Made>('POST', 'reservations', request, tokens.ada);
  const offer = { offer_id: made.offers[0]?.offer_id };
  const { start, end } = await service.call<{ start: string; end: string }>('POST', `reservations/${made.id}/choose`, offer, tokens.ada);
  const { page, faults } = await signedIn('ada', 'reservations');
  await page.getByText('Booked').first().waitFor();
  await lower(service, start, end, tokens.grace);
  await page.getByText('No longer fits under the power cap').waitFor();
  await page.getByText(/The supplier lowered the power cap below what is reserved\. Choose an offer of the replacement/).waitFor();
  await page.getByRole('button', { name: /See \d other starts?/ }).click();
  const others = page.getByRole('listitem').filter({ hasText: 'may take the place of what is booked' });
  await others.getByRole('button', { name: 'Book' }).first().click();
  await page.getByText('Booked: the nodes are yours.').waitFor();
  await page.getByText('No longer fits under the power cap').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});
