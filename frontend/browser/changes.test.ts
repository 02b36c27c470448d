// Reservations that change, on the page.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { hours, tour } from './tour';

interface Reservation {
  id: string;
  owner: string;
  state: string;
  start: string;
  end: string;
  request: { nodes: number; note?: string; labels?: Record<string, string> };
  offers: { offer_id: string; node_count: number; nodes?: string[] }[];
  chosen_offer_id: string;
}

const { service, visit } = tour();
const read = (id: string) => service.call<Reservation>('GET', `reservations/${id}`);

/** A reservation of the local user that begins in so many hours, at a start that there is. */
async function booked(ahead: number, nodes = 4): Promise<Reservation> {
  const request = { nodes, duration_s: 3600, earliest_start: hours(ahead), latest_start: hours(ahead + 0.5) };
  const made = await service.call<Reservation>('POST', 'reservations', request);
  return service.call<Reservation>('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
}

/** A reservation that may last at least an hour longer: the demonstration books others' nodes by the time of day. */
async function bookedWithRoom(): Promise<Reservation> {
  for (const ahead of [60, 50, 40, 30, 20, 10]) {
    const reservation = await booked(ahead);
    const refused = await fetch(new URL(`api/v1/reservations/${reservation.id}/extend`, service.url), {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ by_s: 900 * 3600 }),
    });
    const { longest_s } = (await refused.json()) as { longest_s?: number | null };
    if ((longest_s ?? 0) >= 3600) return reservation;
  }
  throw new Error('the demonstration leaves no room after any of these hours');
}

/** The row of a reservation, with what can be changed of it. */
async function opened(page: Page, { id }: Reservation, action = ''): Promise<Locator> {
  await page.goto(`${service.url}#/reservations/${id}`);
  const row = page.locator(`#reservation-${id}`);
  await row.getByRole('button', { name: 'Change', exact: true }).click();
  const actions = row.getByRole('group', { name: 'What to change' });
  await actions.getByRole('button', { name: action || 'Modify' }).click();
  return row;
}

test('modifies a reservation, and says at the fields what is wrong', async () => {
  const { page, faults } = await visit();
  const reservation = await booked(30);
  const row = await opened(page, reservation, 'Modify');
  await row.getByLabel('Nodes', { exact: true }).fill('many');
  await row.getByRole('button', { name: 'Modify', exact: true }).last().click();
  await row.getByText('A whole number of nodes, 1 or more.').waitFor();
  expect((await read(reservation.id)).request.nodes).toBe(4);

  // What only the service knows to be wrong stands at its field, too.
  await row.getByLabel('Nodes', { exact: true }).fill('3');
  await row.getByLabel('Partition').fill('nowhere');
  await row.getByRole('button', { name: 'Modify', exact: true }).last().click();
  await row.locator('input[aria-invalid="true"]').waitFor();
  expect(await row.getByLabel('Partition').getAttribute('aria-invalid')).toBe('true');
  expect((await read(reservation.id)).request.nodes).toBe(4);

  await row.getByLabel('Partition').fill('');
  await row.getByLabel('For how long').fill('2h');
  await row.getByRole('button', { name: 'Modify', exact: true }).last().click();
  await page.getByText('Modified: it is planned anew and yours.').waitFor();
  const after = await read(reservation.id);
  expect(after.state).toBe('confirmed');
  expect(after.request.nodes).toBe(3);
  expect(Date.parse(after.end) - Date.parse(after.start)).toBe(7_200_000);
  expect(faults).toEqual([]);
});

test('keeps the old where the new does not fit', async () => {
  const { page } = await visit();
  const reservation = await booked(40);
  const row = await opened(page, reservation, 'Modify');
  await row.getByLabel('Nodes', { exact: true }).fill('60');
  await row.getByRole('button', { name: 'Modify', exact: true }).last().click();
  await row.getByText(/no start in the window/).waitFor();
  expect(await read(reservation.id)).toMatchObject({ state: 'confirmed', start: reservation.start, end: reservation.end });
});

test('does nothing to a reservation that somebody else changed meanwhile', async () => {
  const { page } = await visit();
  const reservation = await booked(50);
  const row = await opened(page, reservation, 'Labels and note');
  await row.getByLabel('Note').fill('mine');
  // The page hears of it, but the form is of the version that it was opened with.
  await service.call('PATCH', `reservations/${reservation.id}`, { note: 'theirs' });
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText(/It was changed in the meantime, so nothing was done/).waitFor();
  expect((await read(reservation.id)).request.note).toBe('theirs');
  await row.getByLabel('Note').fill('both');
  await row.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await read(reservation.id)).request.note).toBe('both');
});

test('extends a reservation, at most by what fits', async () => {
  const { page } = await visit();
  const reservation = await bookedWithRoom();
  let row = await opened(page, reservation, 'Extend');
  await row.getByLabel('By', { exact: true }).fill('30 min');
  await row.getByRole('button', { name: 'Extend', exact: true }).last().click();
  await page.getByText(/^Extended: its nodes are yours until/).waitFor();
  const longer = await read(reservation.id);
  expect(Date.parse(longer.end) - Date.parse(reservation.end)).toBe(1_800_000);

  row = await opened(page, reservation, 'Extend');
  await row.getByLabel('By', { exact: true }).fill('900h');
  await row.getByRole('button', { name: 'Extend', exact: true }).last().click();
  const most = row.getByRole('button', { name: /the most that fits$/ });
  await most.click();
  await expect.poll(async () => Date.parse((await read(reservation.id)).end)).toBeGreaterThan(Date.parse(longer.end));
});

test('gives back some nodes of what runs, and then all of it, after asking', async () => {
  const { page } = await visit();
  // With every second as a start, one that begins at once.
  const request = { nodes: 4, duration_s: 3600, earliest_start: hours(0.001), latest_start: hours(0.002), search: { mode: 'exact' } };
  const made = await service.call<Reservation>('POST', 'reservations', request);
  const reservation = await service.call<Reservation>('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
  await page.goto(`${service.url}#/reservations/${reservation.id}`);
  await expect.poll(async () => (await read(reservation.id)).state, { timeout: 20_000, interval: 500 }).toBe('active');
  let row = await opened(page, reservation, 'Give back');
  await row.getByLabel('Give back').selectOption('some');
  await row.getByLabel('How many').fill('1');
  await row.getByRole('button', { name: 'Give back', exact: true }).last().click();
  await row.getByRole('button', { name: 'Yes, give them back' }).click();
  await page.getByText('Given back: the other nodes stay yours.').waitFor();
  expect((await read(reservation.id)).offers.map((it) => it.node_count)).toContain(3);

  row = await opened(page, reservation, 'Give back');
  await row.getByRole('button', { name: 'End it now' }).click();
  await row.getByRole('button', { name: 'Keep it' }).click();
  expect((await read(reservation.id)).state).toBe('active');
  await row.getByRole('button', { name: 'End it now' }).click();
  await row.getByRole('button', { name: 'Yes, end it now' }).click();
  await page.getByText('Given back: it has ended, and its nodes are free.').waitFor();
  expect((await read(reservation.id)).state).toBe('completed');
}, 60_000);

test('labels a reservation and hands it over', async () => {
  const { page } = await visit();
  const reservation = await booked(70);
  let row = await opened(page, reservation, 'Labels and note');
  await row.getByLabel('Labels').fill('application = nemo\nrun = 3');
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText('application nemo, run 3').waitFor();
  row = await opened(page, reservation, 'Transfer');
  await row.getByLabel('New owner').fill('bob');
  await row.getByRole('button', { name: 'Transfer', exact: true }).last().click();
  await row.getByRole('button', { name: 'Yes, transfer it' }).click();
  await page.getByText("Transferred: it is bob's now.").waitFor();
  expect((await read(reservation.id)).owner).toBe('bob');
});

test('shares a reservation, and ends that', async () => {
  const { page } = await visit();
  const reservation = await booked(80);
  const row = await opened(page, reservation, 'Share');
  await row.getByLabel('Users').fill('bob');
  await row.getByLabel('They may').selectOption('use');
  await row.getByRole('button', { name: 'Share', exact: true }).last().click();
  await row.getByText('bob may see it, and run jobs in it').waitFor();
  await row.getByText('shared with bob').waitFor();
  await row.getByRole('button', { name: 'End sharing it with bob' }).click();
  await row.getByText('It is shared with nobody.').waitFor();
});

test('swaps nodes that are out of service for others', async () => {
  const { page } = await visit();
  const reservation = await booked(90);
  const row = await opened(page, reservation, 'Swap nodes');
  await row.getByRole('button', { name: 'Swap', exact: true }).click();
  // All of its nodes are well.
  await row.getByRole('alert').waitFor();
  const node = (await read(reservation.id)).offers.find((it) => it.offer_id === reservation.chosen_offer_id)?.nodes?.[0] ?? '';
  await row.getByLabel('Swap', { exact: true }).selectOption('named');
  await row.getByLabel('Which').fill(node);
  await row.getByRole('button', { name: 'Swap', exact: true }).click();
  await page.getByText('Swapped: other nodes took their place.').waitFor();
  const after = await read(reservation.id);
  const offer = after.offers.find((it) => it.offer_id === after.chosen_offer_id);
  expect(offer?.nodes).not.toContain(node);
  expect(offer?.node_count).toBe(4);
});
