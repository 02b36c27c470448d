// Reports and simulations in each of their states: nothing lies over anything else, and everybody can use them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { BillDocument, ReportDocument, ReportRowDocument } from '../src/api/schema';
import type { Simulation } from '../src/simulate/results';
import { lastMonth, past } from './past';
import { FAILED, inspectStates, type State } from './states';
import { hours, tour } from './tour';

/** Simulations that have been played: whole months of few requests. */
const ids: string[] = [];
async function playOne(name: string): Promise<string> {
  const experiment = { name, parameters: { nodes: 20, requests: 10, runs: 2 } };
  const { id } = await service.call<{ id: string }>('POST', 'simulations', experiment);
  while ((await service.call<Simulation>('GET', `simulations/${id}`)).state !== 'finished') await new Promise((done) => setTimeout(done, 300));
  return id;
}
const { service, visit } = tour({
  begin: past,
  timeout: 300_000,
  prepare: async () => {
    for (const name of ['What waiting for better hours saves', 'What waiting saves where there are twice as many requests']) ids.push(await playOne(name));
  },
});

const MONTH = lastMonth();
const rowsAre = (change: Partial<ReportRowDocument>) => (real: ReportDocument): ReportDocument => ({ ...real, rows: real.rows.map((it) => ({ ...it, ...change })) });
const bill = (real: BillDocument): BillDocument => ({
  ...real,
  demand: [{ name: 'The month’s highest quarter-hour, by the contract', cost_millionths: 123_456_789_000, energy_j: 8.1e7, quarter_start: hours(-200) } as BillDocument['demand'][number]],
  fixed: [{ name: 'The use of the grid, a month', cost_millionths: 45_000_000 } as BillDocument['fixed'][number]],
});
const check = (name: string) => (page: Page) => page.getByRole('checkbox', { name }).click();
const REPORTS: State[] = [
  { name: 'empty', at: 'reports?month=2026-01', answers: { reports: (real: ReportDocument) => ({ ...real, rows: [], stated_to: null }) }, there: 'No hour is stated yet.' },
  { name: 'nothing for you', at: 'reports', answers: { reports: (real: ReportDocument) => ({ ...real, rows: [], stated_to: hours(-2) }) }, there: 'Nothing is in the ledger of this month for you.' },
  { name: 'measured', at: `reports?month=${MONTH}`, there: /of the energy behind this was measured/ },
  { name: 'by everything', at: `reports?month=${MONTH}&by=user,project,application,partition`, there: 'no partition' },
  { name: 'by nothing', at: `reports?month=${MONTH}&by=none`, there: /of the energy behind this was measured/ },
  { name: 'another filter', at: `reports?month=${MONTH}`, act: check('Project'), there: 'no project' },
  {
    name: 'promised alone', at: `reports?month=${MONTH}`, there: /What was really saved is not known/,
    answers: { reports: rowsAre({ measured_saving_cost: null, measured_saving_co2_kg: null, cost: null, co2_location_kg: null, measured_share: null }) },
  },
  {
    name: 'nothing known of what was saved', at: `reports?month=${MONTH}`, there: /so what was saved cannot be told/,
    answers: { reports: rowsAre({ measured_saving_cost: null, measured_saving_co2_kg: null, promised_saving_cost: null, promised_saving_co2_kg: null }) },
  },
  {
    name: 'other CO2', at: `reports?month=${MONTH}`, there: 'Other CO₂, marginal, direct',
    answers: { reports: (real: ReportDocument) => ({ ...rowsAre({ other_co2_kg: 1.5 })(real), other_co2_accounting: { accounting: 'marginal', factors: 'direct' } }) },
  },
  { name: 'with a bill', at: `reports?month=${MONTH}`, answers: { bills: bill }, there: /^The bill of/ },
  { name: 'not to be read', at: `reports?month=${MONTH}`, answers: { reports: 'fails' }, there: FAILED },
];

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();
async function play(page: Page): Promise<void> {
  await press('Play it')(page);
  await page.getByText('Files:').first().waitFor({ timeout: 120_000 });
}
/** The list with the newest simulation as if it were so. */
const standing = (change: Partial<Simulation>) => (real: { items: Simulation[] }) => ({ items: real.items.map((it) => (it.id === ids[1] ? { ...it, ...change } : it)) });
const one = (change: Partial<Simulation>) => (real: Simulation) => ({ ...real, ...change });
const RUNNING = { state: 'running', runs: 40, runs_done: 13, time_left_s: 95 };
const BROKEN = { state: 'failed', error: 'the table of prices ends at 2026-10-31T23:00:00Z, before the last request could end', results: [], summary: null };

const settings = (page: Page) => page.getByText('All settings').click();
const settingsForm = (page: Page) => page.getByRole('form', { name: 'All settings' });
async function given(page: Page): Promise<void> {
  await settings(page);
  await settingsForm(page).getByLabel('Tariff, CO₂ and power cap').selectOption('table');
  await settingsForm(page).getByLabel('Nodes', { exact: true }).selectOption('table');
  await settingsForm(page).getByLabel('Requests', { exact: true }).selectOption('trace');
}
const SIMULATE: State[] = [
  { name: 'a month', at: 'simulate', there: 'Mark several to compare them.' },
  { name: 'prices', at: 'simulate?ask=prices', there: /^CSV: start, end, price_per_mwh/ },
  { name: 'policies', at: 'simulate?ask=policies', there: 'Users may wait, hours' },
  { name: 'none yet', at: 'simulate', answers: { simulations: () => ({ items: [] }) }, there: 'None yet.' },
  { name: 'all settings', at: 'simulate', act: settings, there: 'Policies to compare' },
  { name: 'settings of one’s own', at: 'simulate', act: given, there: 'Allow requests that the agendas do not cover' },
  {
    name: 'wrong settings', at: 'simulate', there: 'Upload the tables of prices and CO₂ intensities.',
    act: async (page) => {
      await given(page);
      await press('Play these settings')(page);
    },
  },
  {
    name: 'nothing to play', at: 'simulate', answers: { reservations: () => ({ items: [], next_cursor: null }) }, act: press('Play it'),
    there: /there is nothing to play\. Choose another month/,
  },
  { name: 'asked whether to remove it', at: 'simulate', act: press(/^Remove/), there: 'Remove it and its results?' },
  { name: 'simulations cannot be read', at: 'simulate', answers: { simulations: 'fails' }, there: FAILED },
];

/** Those that look at what was played. */
const played = (): State[] => {
  const [first = '', last = ''] = ids;
  const shown = `simulate?shown=${last}`;
  /** It tells nothing of how far it really is. */
  const silent = { [`simulations/${last}/events`]: 'waits' } as const;
  return [
    { name: 'queued', at: shown, answers: { simulations: standing({ state: 'queued' }) }, there: /: Waiting for its turn\.$/ },
    { name: 'running', at: shown, answers: { simulations: standing(RUNNING), ...silent }, there: /: 13 of 40 runs played/ },
    {
      name: 'asked whether to cancel it', at: shown, answers: { simulations: standing(RUNNING), ...silent }, there: 'Cancel this simulation?',
      act: (page) => page.getByRole('group', { name: 'How far the answer is' }).getByRole('button', { name: /^Cancel/ }).click(),
    },
    { name: 'failed', at: shown, answers: { simulations: standing(BROKEN), [`simulations/${last}`]: one(BROKEN) }, there: /: Failed: the table of prices/ },
    { name: 'cancelled', at: shown, answers: { simulations: standing({ state: 'cancelled' }), [`simulations/${last}`]: one({ state: 'cancelled' }) }, there: /: Cancelled\.$/ },
    { name: 'compared', at: `simulate?shown=${first},${last}`, there: 'Simulations beside each other' },
    { name: 'charts', at: shown, act: (page) => page.getByText('Charts: means over the requests so far').click(), there: 'Mean cost of a reservation' },
    { name: 'its page', at: `simulate/${last}`, there: 'Files:' },
    { name: 'its page, running', at: `simulate/${last}`, answers: { [`simulations/${last}`]: one(RUNNING), ...silent }, there: /13 of 40 runs played/ },
    { name: 'its page, failed', at: `simulate/${last}`, answers: { [`simulations/${last}`]: one(BROKEN) }, there: /^Failed: the table of prices/ },
    { name: 'its page, asked whether to remove it', at: `simulate/${last}`, act: press('Remove'), there: 'Remove it and its results?' },
    { name: 'no such simulation', at: 'simulate/s1', there: /^There is none of this name/ },
    { name: 'its page is read', at: `simulate/${last}`, answers: { [`simulations/${last}`]: 'waits' }, there: /^Reading/ },
  ];
};
const ANSWERS: State[] = [
  { name: 'a month is answered', at: `simulate?month=${MONTH}`, act: play, there: /requests would have taken/ },
  { name: 'prices are answered', at: `simulate?ask=prices&month=${MONTH}&co2=250`, act: play, there: /^With 250 EUR a tonne of CO₂: as soon as possible/ },
  {
    name: 'policies are answered', at: 'simulate?ask=policies&requests=10', act: play, there: /is the cheapest: it costs/,
  },
];

test('reports, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, REPORTS)).toEqual({});
});
test('what is asked of simulations, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, SIMULATE)).toEqual({});
});
test('simulations, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, played())).toEqual({});
});
test('what simulations answer', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, ANSWERS)).toEqual({});
});
