// What operators do on the page, and what of it is there afterwards; a user is offered none of it.

import { readFileSync } from 'node:fs';

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import { violations } from './axe';
import { overlaps } from './overlaps';
import { NEGOTIATION, type Made, day, lower, peak } from './peak';
import { hours, tour } from './tour';

const SETTINGS = `
${NEGOTIATION}
[[meters]]
id = "bmc"
kind = "push"
period_s = 900
[calibration]
every_s = 1
window_days = 2
least_quarters = 4
[[quotas.rules.default]]
user = "/"
nodes = 44
`;

interface Outage {
  id: string;
  reason: string;
  nodes: string[];
  start: string;
  end: string | null;
}
interface Reservation extends Made {
  start: string;
  request: { priority?: number };
  chosen_offer_id: string;
  offers: { offer_id: string; nodes: string[] }[];
}

const { service, visit } = tour({ settings: SETTINGS, timeout: 120_000 });
const tokens = { ada: '', grace: '' };
const call = <T>(method: string, route: string, body?: unknown) => service.call<T>(method, route, body, tokens.grace);
const outages = async () => (await call<{ items: Outage[] }>('GET', 'outages')).items;

/** A table of samples of a quarter-hour each, over so many hours until now. */
function samples(watts: Record<string, number>, over: number): string {
  const last = Math.floor(Date.now() / 900_000) * 900_000;
  const lines = Object.entries(watts).flatMap(([node, power]) =>
    Array.from({ length: over * 4 + 1 }, (_, index) => `bmc,${node},${new Date(last - index * 900_000).toISOString().replace(/\.\d+/, '')},${power}`),
  );
  return ['meter,node,at,power_w', ...lines, ''].join('\n');
}

async function booked(ahead: number, nodes = 4): Promise<Reservation> {
  const request = { nodes, duration_s: 3600, earliest_start: hours(ahead), latest_start: hours(ahead + 0.5) };
  const made = await service.call<Reservation>('POST', 'reservations', request, tokens.ada);
  return service.call<Reservation>('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id }, tokens.ada);
}

beforeAll(async () => {
  tokens.ada = service.token('ada');
  tokens.grace = service.token('grace', 'operator');
  // A node that was calibrated twice, before anything is booked.
  for (const [index, watts] of [91, 97].entries()) {
    const at = (load: string, power_w: number, minute: number) =>
      ({ node: 'aube-2', measured_at: hours(-48 + 24 * index + minute / 60), load, power_w });
    const all = Array.from({ length: 8 }, (_, minute) => [at('idle', watts + minute / 10, minute), at('max', 220 + minute, minute + 10)]).flat();
    await call('POST', 'calibrations', all);
  }
});

async function signedIn(name: keyof typeof tokens, page: string, options = {}) {
  const watched = await visit(`#/${page}`, options);
  await watched.page.getByLabel('Token').fill(tokens[name]);
  await watched.page.getByRole('button', { name: 'Sign in' }).click();
  // Where there is little room it is not seen.
  await watched.page.getByText(`${name}, ${name === 'ada' ? 'user' : 'operator'}`).first().waitFor({ state: 'attached' });
  return watched;
}
/** An instant as `datetime-local` shows it in Paris. */
const wall = (instant: string) => new Date(instant).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16);
const onHour = (instant: string) => instant.replace(/:\d\d:\d\dZ/, ':00:00Z');
const rows = (page: Page) => page.getByRole('region', { name: 'Table of nodes' }).locator('tbody tr');

test('nodes are found by words and state, in an order, and handed over as a table', async () => {
  const { page, faults } = await signedIn('grace', 'nodes');
  await expect.poll(() => rows(page).count()).toBe(44);
  await page.getByRole('searchbox').fill('aube-1');
  await expect.poll(() => rows(page).count()).toBe(11);
  for (const sorting of ['ascending', 'descending']) {
    await page.getByRole('button', { name: 'Node', exact: true }).click();
    await page.locator(`th[aria-sort=${sorting}]`).waitFor();
  }
  await expect.poll(() => rows(page).first().locator('td').first().textContent()).toBe('aube-19');
  await page.waitForURL(/order=-name&search=aube-1/);
  await page.reload();
  await expect.poll(() => rows(page).first().locator('td').first().textContent()).toBe('aube-19');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Table (CSV)' }).click();
  const table = readFileSync(await (await saved).path(), 'utf8').trim().split('\n');
  expect(table.length).toBe(12);
  expect(table[0]).toMatch(/^name,partitions,features,state/);
  expect(table[1]).toMatch(/^aube-19,/);
  await page.getByLabel('State').selectOption('asleep');
  await page.getByText('No node is like that.').waitFor();
  await page.getByRole('button', { name: 'Show all again' }).click();
  await expect.poll(() => rows(page).count()).toBe(44);
  expect(faults).toEqual([]);
});

test('a node tells how it was calibrated, and what it did', async () => {
  const { page, faults } = await signedIn('grace', 'nodes');
  await page.getByRole('link', { name: 'aube-2', exact: true }).click();
  const calibration = page.getByRole('region', { name: 'Calibration over time' });
  await calibration.getByRole('img', { name: /Calibrated idle and maximum power of aube-2 over time/ }).waitFor();
  expect(await calibration.locator('tbody tr').count()).toBe(2);
  await page.getByRole('img', { name: /What aube-2 did over time/ }).waitFor();
  await page.getByRole('link', { name: 'Take it out of service' }).click();
  expect(await page.getByRole('form', { name: 'Declare an outage' }).getByLabel('Nodes').inputValue()).toBe('aube-2');
  expect(faults).toEqual([]);
});

test('an outage shows what it displaces, is declared, changed and ended', async () => {
  const reservation = await booked(30);
  const [node = '', other = ''] = reservation.offers.find((it) => it.offer_id === reservation.chosen_offer_id)?.nodes ?? [];
  const { page, faults } = await signedIn('grace', 'nodes?tab=outages');
  const form = page.getByRole('form', { name: 'Declare an outage' });
  await form.getByRole('button', { name: 'Take them out of service' }).click();
  await form.getByText('Names of nodes, such as n1,n[4-7].').waitFor();
  await form.getByLabel('Nodes').fill('nowhere');
  await form.getByText('There is no node nowhere.').waitFor();
  await form.getByLabel('Nodes').fill(`${node},${other}`);
  await form.getByLabel('Why').fill('new fans');
  await form.getByLabel('From').fill(wall(hours(20)));
  await form.getByText(/holds? some of these nodes\./).waitFor();
  await form.getByRole('row').filter({ hasText: 'ada' }).getByRole('cell', { name: '2', exact: true }).waitFor();
  await form.getByRole('button', { name: 'Take them out of service' }).click();
  await form.getByRole('button', { name: 'Not yet' }).click();
  expect(await outages()).toEqual([]);
  await form.getByRole('button', { name: 'Take them out of service' }).click();
  await form.getByRole('button', { name: 'Yes, take them out' }).click();
  await page.getByText(/^Declared: 2 nodes out of service, from/).waitFor();
  expect((await outages()).map((it) => [it.reason, it.nodes.length, it.end])).toEqual([['new fans', 2, null]]);
  // The reservation got other nodes.
  const nodes = async () => (await call<Reservation>('GET', `reservations/${reservation.id}`)).offers.flatMap((it) => it.nodes);
  await expect.poll(async () => (await nodes()).includes(node), { timeout: 15_000 }).toBe(false);
  await page.getByRole('button', { name: 'Take it back', exact: true }).first().click();
  await page.getByText('Taken back: the nodes stay in service.').waitFor();
  expect(await outages()).toEqual([]);

  await form.getByLabel('Nodes').fill('aube-[1-2]');
  await form.getByLabel('Why').fill('loose cable');
  await form.getByRole('button', { name: 'Take them out of service' }).click();
  await form.getByRole('button', { name: 'Yes, take them out' }).click();
  await page.getByText(/^Declared: 2 nodes out of service, since/).waitFor();
  const list = page.getByRole('list', { name: 'Outages' });
  await list.getByText('Out now').waitFor();
  await list.getByRole('button', { name: /^Change the outage of/ }).click();
  const change = page.getByRole('form', { name: 'Change an outage' });
  expect(await change.getByLabel('Nodes').inputValue()).toBe('aube-1,aube-2');
  expect(await change.getByLabel('From').count()).toBe(0);
  await change.getByRole('button', { name: 'Change it' }).click();
  await change.getByText('Nothing is changed yet.').waitFor();
  const [before] = await outages();
  // What it does not take yet is shown first: who holds the node that is added.
  const later = await booked(40, 2);
  const [held = ''] = later.offers.find((it) => it.offer_id === later.chosen_offer_id)?.nodes ?? [];
  await change.getByLabel('Nodes').fill(`aube-1,${held}`);
  await change.getByText(/^The change takes nodes from \d+ reservations? /).waitFor();
  await change.getByRole('row').filter({ hasText: 'ada' }).first().waitFor();
  await change.getByLabel('Nodes').fill('aube-1');
  await change.getByLabel('Until').fill(wall(hours(20)));
  await change.getByText(/^The change takes nodes from no reservation/).waitFor();
  await change.getByRole('button', { name: 'Change it' }).click();
  await change.getByRole('button', { name: 'Yes, change it' }).click();
  await page.getByText(/^Changed: 1 node out of service, /).waitFor();
  const [after] = await outages();
  expect(after).toEqual({ ...before, node_count: 1, nodes: ['aube-1'], node_ranges: [[0, 0]], end: expect.stringMatching(/Z$/), reservations: [] });
  await list.getByRole('button', { name: /^End it now/ }).click();
  await list.getByRole('button', { name: 'Yes, end it' }).click();
  await page.getByText('Ended: the nodes are in service again.').waitFor();
  expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
  expect(await outages()).toEqual([]);
  expect(faults).toEqual([]);
}, 60_000);

interface Agenda {
  pieces: { start: string; end: string; price_per_mwh: number }[];
}

test('an agenda is corrected in one span, with before and after drawn first', async () => {
  const [start, end] = [onHour(hours(50)), onHour(hours(52))];
  const { page, faults } = await signedIn('grace', 'grid');
  const form = page.getByRole('form', { name: 'Put an agenda' });
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByText('A date and a time.').first().waitFor();
  await form.getByLabel('From').fill(wall(start));
  await form.getByLabel('Until').fill(wall(end));
  await form.getByLabel(/^Value/).fill('1e9');
  await form.getByRole('img', { name: /^The agenda as it would be/ }).waitFor();
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByRole('button', { name: 'Yes, replace it' }).click();
  // What only the service knows stands at its field.
  await form.getByText(/must lie between -1e6 and 1e6/).first().waitFor();
  expect(await form.getByLabel(/^Value/).getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel(/^Value/).fill('321.5');
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByRole('button', { name: 'Yes, replace it' }).click();
  await page.getByText(/^Put: the price, .* 1 piece\.$/).waitFor();
  const agenda = await call<Agenda>('GET', `agendas/price?from=${start}&to=${end}`);
  expect(agenda.pieces).toEqual([{ start, end, price_per_mwh: 321.5 }]);
  expect(faults).toEqual([]);
});

test('what an agenda says of a span is withdrawn, with before and after drawn first', async () => {
  const [start, end] = [onHour(hours(54)), onHour(hours(56))];
  await call('PUT', 'agendas/price', [{ start, end, price_per_mwh: 321.5 }]);
  const { page, faults } = await signedIn('grace', 'grid');
  const form = page.getByRole('form', { name: 'Put an agenda' });
  await form.getByLabel('As', { exact: true }).selectOption('nothing');
  expect(await form.getByLabel(/^Value/).count()).toBe(0);
  await form.getByRole('button', { name: 'Withdraw it' }).click();
  await form.getByText('A date and a time.').first().waitFor();
  await form.getByLabel('From').fill(wall(start));
  await form.getByLabel('Until').fill(wall(end));
  await form.getByRole('img', { name: /^The agenda as it would be/ }).waitFor();
  // What the demonstration's sources say.
  await form.getByText(/counts? there again within seconds/).waitFor();
  await form.getByRole('button', { name: 'Withdraw it' }).click();
  await form.getByRole('button', { name: 'Not yet' }).click();
  await form.getByRole('button', { name: 'Withdraw it' }).click();
  await form.getByRole('button', { name: 'Yes, withdraw it' }).click();
  await page.getByText(/^Withdrawn: the price, /).waitFor();
  const prices = async () => (await call<Agenda>('GET', `agendas/price?from=${start}&to=${end}`)).pieces.map((it) => it.price_per_mwh);
  expect(await prices()).not.toContain(321.5);
  await expect.poll(async () => (await prices()).length, { timeout: 15_000 }).toBeGreaterThan(0);
  expect(await prices()).not.toContain(321.5);
  expect(faults).toEqual([]);
});

test('a table of an agenda has its errors at their lines, and is put', async () => {
  const at = (hour: number) => onHour(hours(60 + hour));
  const { page, faults } = await signedIn('grace', 'grid');
  const form = page.getByRole('form', { name: 'Put an agenda' });
  await form.getByLabel('As', { exact: true }).selectOption('table');
  const lines = ['start,end,price_per_mwh', `${at(0)},${at(1)},10`, `${at(1)},${at(1)},20`];
  await form.getByRole('textbox', { name: 'Table' }).fill(lines.join('\n'));
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByRole('list', { name: 'Errors of the table' }).getByText(/, end: must be after start/).waitFor();
  const selected = () => page.evaluate<string>('(() => { const it = document.activeElement; return it.value.slice(it.selectionStart, it.selectionEnd); })()');
  await expect.poll(selected).toBe(lines[2]);
  // The service finds what the page does not.
  lines[2] = `${at(1)},${at(2)},20.1234567`;
  await form.getByRole('textbox', { name: 'Table' }).fill(lines.join('\n'));
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByRole('button', { name: 'Yes, replace it' }).click();
  await form.getByRole('list', { name: 'Errors of the table' }).getByText(/, price_per_mwh: has more than 6 decimals/).waitFor();
  await expect.poll(selected).toBe(lines[2]);
  lines[2] = `${at(1)},${at(2)},20.5`;
  await form.getByRole('textbox', { name: 'Table' }).fill(lines.join('\n'));
  await form.getByRole('button', { name: 'Put it' }).click();
  await form.getByRole('button', { name: 'Yes, replace it' }).click();
  await page.getByText(/^Put: the price, .* 2 pieces\.$/).waitFor();
  const agenda = await call<Agenda>('GET', `agendas/price?from=${at(0)}&to=${at(2)}`);
  expect(agenda.pieces.map((it) => it.price_per_mwh)).toEqual([10, 20.5]);
  expect(faults).toEqual([]);
});

test('a lower cap says who gives way before it is put', async () => {
  const reservation = await booked(100, 10);
  const { page } = await signedIn('grace', 'grid');
  const form = page.getByRole('form', { name: 'Put an agenda' });
  await form.getByLabel('Agenda').selectOption('power-cap');
  await form.getByLabel('From').fill(wall(onHour(reservation.start)));
  await form.getByLabel('Until').fill(wall(onHour(hours(106))));
  await form.getByLabel(/^Value/).fill('100');
  await form.getByText(/^What is reserved is above this cap/).waitFor();
});

test('a question to the supplier is answered with a part, and power is granted and taken back', async () => {
  const asked = await peak(service, 12, tokens.grace, tokens.ada);
  expect(asked.state).toBe('awaiting_supplier');
  const { page, faults } = await signedIn('grace', 'grid');
  const answer = page.getByRole('form', { name: 'Answer for the supplier' });
  await answer.getByLabel('No more than, W').fill('999999');
  await answer.getByText(/^Watts, less than the .* that are asked for\.$/).waitFor();
  await answer.getByLabel('No more than, W').fill('20');
  await answer.getByRole('button', { name: 'Grant a part' }).click();
  await page.getByText('Taken: those who asked are planned anew.').waitFor();
  interface Grants {
    items: { power_w: number; standing: string; negotiation_id: string | null }[];
  }
  const grants = async () => (await call<Grants>('GET', 'grants')).items;
  expect([...new Set((await grants()).filter((it) => it.negotiation_id).map((it) => it.power_w))]).toEqual([20]);
  // Nothing more will come, and it is too little.
  await expect.poll(async () => (await service.call<Made>('GET', `reservations/${asked.id}`, undefined, tokens.ada)).state).toBe('rejected');

  const granted = page.getByRole('region', { name: 'Extra power granted' });
  await granted.getByText('Grant power that nobody asked for').click();
  const form = page.getByRole('form', { name: 'Grant extra power' });
  await form.getByLabel('From').fill(wall(day(20, 6)));
  await form.getByLabel('Until').fill(wall(day(20, 8)));
  await form.getByRole('button', { name: 'Grant it' }).click();
  await form.getByText('Watts, more than none.').waitFor();
  await form.getByLabel('Power on top of the cap, W').fill('1234');
  await form.getByRole('button', { name: 'Grant it' }).click();
  await granted.getByText(/^Granted: 1\.23 kW more/).waitFor();
  const standing = async () => (await grants()).filter((it) => it.power_w === 1234).map((it) => it.standing);
  expect(await standing()).toEqual(['in_force']);
  await granted.getByRole('status').getByRole('button', { name: 'Take it back' }).click();
  await granted.getByText(/^Taken back:/).waitFor();
  await expect.poll(standing).not.toContain('in_force');
  expect(faults).toEqual([]);
}, 60_000);

test('a priority is given, and no reservation is moved by it unless that is wanted', async () => {
  const reservation = await booked(70);
  const { page, faults } = await signedIn('grace', `reservations/${reservation.id}`);
  const priority = async () => (await call<Reservation>('GET', `reservations/${reservation.id}`)).request.priority ?? 0;
  await page.locator(`#reservation-${reservation.id}`).getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('group', { name: 'What to change' }).getByRole('button', { name: 'Priority' }).click();
  await page.getByLabel('Priority').fill('5000');
  await page.getByRole('button', { name: 'Set the priority' }).click();
  await page.getByText('A whole number, 0 to 1,000.').waitFor();
  await page.getByLabel('Priority').fill('700');
  await page.getByRole('button', { name: 'Set the priority' }).click();
  await page.getByText('Its priority is 700 now.').waitFor();
  expect(await priority()).toBe(700);
  expect((await call<Reservation>('GET', `reservations/${reservation.id}`)).start).toBe(reservation.start);
  expect(faults).toEqual([]);
});

test('proposed calibrations are accepted and rejected', async () => {
  await fetch(new URL('api/v1/measurements', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${tokens.grace}` },
    body: samples({ 'aube-5': 130, 'aube-6': 131 }, 6),
  });
  interface Findings {
    items: { node: string; proposal: { state: string } | null }[];
  }
  const proposals = async () => {
    const { items } = await call<Findings>('GET', 'calibrations/findings');
    return items.flatMap((it) => (it.proposal ? [`${it.node} ${it.proposal.state}`] : []));
  };
  await expect.poll(proposals, { timeout: 20_000 }).toEqual(['aube-5 open', 'aube-6 open']);
  const { page, faults } = await signedIn('grace', 'nodes?tab=calibration');
  const measured = page.getByRole('region', { name: 'Measured against the calibration' });
  await measured.getByRole('button', { name: 'Reject for aube-6' }).click();
  await measured.getByText('Rejected: the powers of 1 node stay as they are.').waitFor();
  await measured.getByRole('button', { name: 'Accept for aube-5' }).click();
  await measured.getByText('Taken: the proposed powers of 1 node are in force.').waitFor();
  await expect.poll(proposals).toEqual(['aube-6 rejected']);
  const { items } = await call<{ items: { source: string; idle_power_w: number }[] }>('GET', 'calibrations?node=aube-5');
  expect(items.map((it) => [it.source, it.idle_power_w])).toEqual([['meters', 130]]);
  // The table knows both, and the node's page what its meter measured.
  await page.goto(`${service.url}#/nodes?search=aube-6`);
  await page.getByRole('cell', { name: /^× 1\.\d+/ }).waitFor();
  await page.goto(`${service.url}#/nodes/aube-5`);
  await page.getByText('Measured power').waitFor();
  expect(faults).toEqual([]);
}, 60_000);

test('quotas say how much is used, and where they are set', async () => {
  const { page } = await signedIn('grace', 'account');
  await page.getByRole('region', { name: 'Quotas', exact: true }).getByText(/are set in the service’s settings file/).waitFor();
});

test('a user is offered none of it', async () => {
  const reservation = await booked(80);
  await call('POST', 'outages', { nodes: ['aube-40'], reason: 'for all to see', end: hours(1) });
  const { page, faults } = await signedIn('ada', 'nodes?tab=outages');
  await page.getByText('for all to see').waitFor();
  const asked = (name: string | RegExp) => page.getByRole('button', { name }).count();
  expect(await page.getByRole('form').count()).toBe(0);
  expect(await asked(/^(Change|End it now|Take)/)).toBe(0);
  await page.getByRole('button', { name: 'Sleep and power' }).click();
  await page.getByText(/^No node is being switched/).waitFor();
  expect(await page.getByRole('form').count()).toBe(0);
  await page.getByRole('button', { name: 'Calibration' }).click();
  await page.getByText('Nodes that stand out').waitFor();
  expect(await asked(/^(Accept|Reject)/)).toBe(0);
  await page.goto(`${service.url}#/grid`);
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  expect(await page.getByText(/Put, correct or withdraw an agenda|Grant power that nobody/).count()).toBe(0);
  await page.goto(`${service.url}#/reservations/${reservation.id}`);
  await page.locator(`#reservation-${reservation.id}`).getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('group', { name: 'What to change' }).waitFor();
  expect(await asked('Priority')).toBe(0);
  await page.goto(`${service.url}#/account`);
  await page.getByRole('region', { name: 'My quotas' }).getByText(/of 44 nodes/).first().waitFor();
  expect(await page.getByText(/settings file/).count()).toBe(0);
  expect(faults).toEqual([]);
});

/** Fills in what makes forms longest, so that everything of them is seen. */
async function filled(page: Page, place: string): Promise<void> {
  if (place === 'nodes?tab=outages') {
    const form = page.getByRole('form', { name: 'Declare an outage' });
    await form.getByLabel('Nodes').fill('aube-[1-44]');
    await form.getByLabel('Why').fill('the cooling is renewed');
    await form.getByText(/hold some of these nodes/).waitFor();
    await form.getByRole('button', { name: 'Take them out of service' }).click();
  } else if (place === 'grid') {
    // What is read meanwhile moves what stands below it.
    await page.getByText('Grant power that nobody asked for').press('Enter');
    const form = page.getByRole('form', { name: 'Put an agenda' });
    await form.getByLabel('Agenda').selectOption('power-cap');
    await form.getByLabel('From').fill(wall(onHour(hours(60))));
    await form.getByLabel('Until').fill(wall(onHour(hours(180))));
    await form.getByLabel(/^Value/).fill('100');
    await form.getByText(/^What is reserved is above this cap/).waitFor();
    await form.getByRole('button', { name: 'Put it' }).click();
  } else await page.getByText(place === 'nodes' ? 'What runs on it' : /^(Switch nodes|Nodes that stand out|Calibration over time)$/).first().waitFor();
}
const PLACES = ['nodes', 'nodes?tab=outages', 'nodes?tab=switching', 'nodes?tab=calibration', 'nodes/aube-2', 'grid'];

for (const colorScheme of ['light', 'dark'] as const) {
  test(`what operators use can be used by everybody, ${colorScheme}`, { timeout: 180_000 }, async () => {
    if (colorScheme === 'light') {
      await lower(service, day(14), day(15), tokens.grace);
      await peak(service, 14, tokens.grace, tokens.ada);
    }
    const { page } = await signedIn('grace', 'nodes', { colorScheme, bypassCSP: true });
    for (const place of PLACES) {
      await page.goto(`${service.url}#/${place}`);
      await filled(page, place);
      expect([place, await violations(page)]).toEqual([place, []]);
    }
  });
}

for (const width of [390, 768, 1024, 1280, 1440, 2560]) {
  test(`no two texts of operators collide at ${width} pixels`, { timeout: 60_000 }, async () => {
    const { page } = await signedIn('grace', 'nodes', { viewport: { width, height: 900 } });
    const found: Record<string, string[]> = {};
    for (const place of PLACES) {
      await page.goto(`${service.url}#/${place}`);
      await filled(page, place);
      // What stays in sight above the page lies over what was scrolled.
      await page.evaluate('scrollTo(0, 0)');
      found[place] = await overlaps(page);
      expect([place, await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')]).toEqual([place, 0]);
    }
    expect(Object.entries(found).filter(([, pairs]) => pairs.length > 0)).toEqual([]);
  });
}
