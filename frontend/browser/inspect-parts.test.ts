// What several pages are made of, in each of its states: refusals, repetitions, projects, charts of power and their files.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { MeDocument, PowerProfileDocument } from '../src/api/schema';
import { inspectStates, type State } from './states';
import { book, type Booked } from './things';
import { hours, tour } from './tour';

let booked: Booked | undefined;
const { service, visit } = tour({ prepare: async (service) => void (booked = await book(service, 2)) });

const PROJECT = 'molecular-dynamics-of-membranes-and-their-proteins';
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();

/** What is sent is refused by a quota, as the service says it. */
const refusing = (more: object) => async (page: Page) => {
  const json = {
    type: 'about:blank', title: 'Quota', status: 422, code: 'quota', detail: 'the quota for each user allows 14 nodes', rules: 'of-the-last-quarter', rules_after: null,
    rule: `gpu,${PROJECT},*,/`, measure: 'node_hours', limit: 123_456.7, used: 123_450, left: 6.7, asked: 88.5, per: 'quarter', from: hours(-500), to: hours(1000), ...more,
  };
  await page.route('**/api/v1/reservations**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 422, contentType: 'application/problem+json', json }));
};
/** Books what the plan proposes first, in vain. */
const bookInVain = (more: object) => async (page: Page) => {
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  await refusing(more)(page);
  await press('Book A')(page);
};
/** Changes the note of a reservation, in vain. */
const noteInVain = (more: object) => async (page: Page) => {
  await press('Change')(page);
  await press('Labels and note')(page);
  await page.getByLabel('Note').fill('for the second review');
  await refusing(more)(page);
  await press('Save')(page);
};
const BY_QUOTA = 'A quota is in the way; nothing was changed.';
const other = { code: 'invalid', detail: 'The request is not valid.', title: 'Invalid', errors: [
  { pointer: '/nodes', detail: 'must be 1 to 44' }, { pointer: '/note', detail: 'must have at most 1,000 characters' }, { detail: 'what is asked for is contradictory in itself' },
] };
const refusals = (): State[] => {
  const own = `reservations/${booked?.id}`;
  return [
    { name: 'with another start', at: 'plan?nodes=2', act: bookInVain({ next_start: hours(30) }), there: BY_QUOTA },
    { name: 'without any start', at: 'plan?nodes=2', act: bookInVain({ next_start: null, per: null, from: null }), there: /no start is known/ },
    { name: 'of an adjustment', at: 'plan?nodes=2', act: bookInVain({ adjustment: 'q1' }), there: /An operator adjusted the quota/ },
    { name: 'where rules change', at: 'plan?nodes=2', act: bookInVain({ rule: undefined }), there: /^The rules of quotas change/ },
    { name: 'a link to the plan', at: own, act: noteInVain({ next_start: hours(30) }), there: BY_QUOTA },
    { name: 'for another reason, in part at the fields', at: own, act: noteInVain(other), there: /contradictory in itself/ },
    {
      name: 'without contact', at: own, there: 'The service is out of reach.',
      act: async (page) => {
        await noteInVain({})(page);
        await page.getByText(BY_QUOTA).waitFor();
        await page.route('**/api/v1/reservations/**', (route) => (route.request().method() === 'GET' ? route.fallback() : route.abort()));
        await press('Save')(page);
      },
    },
  ];
};

const repeat = (choice: string, more?: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.getByLabel('Repeat', { exact: true }).selectOption(choice);
  await more?.(page);
};
const member = (projects: string[]) => ({ me: (real: MeDocument) => ({ ...real, projects }) });
const FIELDS: State[] = [
  ...['Every day', 'Every week', 'Every month', 'By a rule …'].map((choice): State => ({ name: choice, at: 'plan?nodes=2', act: repeat(choice), there: /^the last day|^The last day/ })),
  { name: 'not a rule', at: 'plan?nodes=2', there: /^A rule such as/, act: repeat('By a rule …', (page) => page.getByLabel('Rule').fill('every second Monday')) },
  {
    name: 'a rule that ends by itself', at: 'plan?nodes=2', there: 'empty where the rule ends by itself',
    act: repeat('By a rule …', (page) => page.getByLabel('Rule').fill('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE;COUNT=5')),
  },
  {
    name: 'in one project', at: 'plan', answers: member([PROJECT]), there: 'Cost against CO₂',
    act: (page) => page.getByRole('option', { name: `${PROJECT}, the only one` }).waitFor({ state: 'attached' }),
  },
  { name: 'in several projects', at: 'plan', answers: member([PROJECT, 'physics']), there: 'whose quotas and shares' },
  { name: 'in another project', at: 'plan?project=chemistry-of-the-whole-university', answers: member([PROJECT, 'physics']), there: 'whose quotas and shares' },
  { name: 'in no project', at: 'plan?project=chemistry-of-the-whole-university', there: /^empty: none/ },
];

type PowerStep = PowerProfileDocument['steps'][number];
/** A power profile whose steps are changed, by their position. */
const steps = (change: (it: PowerStep, index: number) => Partial<PowerStep>, more: object = {}) => (real: PowerProfileDocument): PowerProfileDocument => ({
  ...real, ...more, steps: real.steps.map((it, index) => ({ ...it, ...change(it, index) })),
});
const above = (it: PowerStep) => ({ cap_w: it.reserved_power_w / 2 + 100, headroom_w: -500 });
const kept = { cap_w: 12_345, headroom_w: 1 };
/** Every quarter of these many hours as a step of its own. */
const quarters = (of: (index: number) => boolean) => (real: PowerProfileDocument): PowerProfileDocument => {
  const [first] = real.steps;
  if (!first) throw new Error('the power profile is empty');
  const made = Array.from({ length: 96 }, (_, index) => ({ ...first, start: hours(index / 4), end: hours((index + 1) / 4), reserved_power_w: 4321, confirmed_power_w: 2345 }));
  return { ...real, steps: made.map((it, index) => ({ ...it, ...(of(index) ? above(it) : kept) })) };
};
const CHART = 'Needs somebody';
const POWER: State[] = [
  { name: 'no cap', at: 'overview', answers: { 'power-profile': steps(() => ({ cap_w: null, headroom_w: null })) }, there: CHART },
  { name: 'above the cap all the time', at: 'overview', answers: { 'power-profile': quarters(() => true) }, there: /^Reserved power is above the cap/ },
  { name: 'above the cap often', at: 'overview', answers: { 'power-profile': quarters((index) => index % 8 === 0) }, there: /^Reserved power is above the cap/ },
  { name: 'above the cap at the end', at: 'overview', answers: { 'power-profile': quarters((index) => index > 92) }, there: /^Reserved power is above the cap/ },
  {
    name: 'in columns, with idle nodes', at: 'schedule', there: /^Reserved power is above the cap/,
    answers: { 'power-profile': (real: PowerProfileDocument) => ({ ...quarters((index) => index % 6 < 2)(real), column_s: 900, cap_scope: 'all_nodes' }) },
  },
  { name: 'much power', at: 'overview', answers: { 'power-profile': steps((it) => ({ cap_w: 1.234e9, reserved_power_w: it.reserved_power_w * 123_456 })) }, there: CHART },
  {
    name: 'a picture that cannot be made', at: 'schedule', there: /^The picture could not be made/,
    act: async (page) => {
      await page.getByText(/in view$/).first().waitFor();
      await page.evaluate('HTMLCanvasElement.prototype.toBlob = (done) => done(null)');
      await press('PNG')(page);
    },
  },
  {
    name: 'an instant is pointed at', at: 'schedule', there: /· .* booked/, again: (page) => page.getByRole('img', { name: /^Power of reserved nodes/ }).press('ArrowRight'),
    act: (page) => page.getByRole('img', { name: /^Power of reserved nodes/ }).press('ArrowRight'),
  },
];

test('what is refused, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, refusals())).toEqual({});
});
test('fields of several forms, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, FIELDS)).toEqual({});
});
test('charts of power, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, POWER)).toEqual({});
});
