// What is asked for, held, booked and repeated on the plan, in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type { HeldOffer, MeDocument, ReservationDocument, SeriesDocument } from '../src/api/schema';
import { CHEAPEST, GOOD, LONG, SOONEST, choice, range } from './decisions';
import { NEGOTIATION, type Made, day, peak } from './peak';
import { FAILED, fail, inspectStates, isChosen, type State } from './states';
import { hours, tour } from './tour';

/** Reservations: one that is booked, one that waits for the supplier. */
const ids = { booked: '', waiting: '' };
const { service, visit } = tour({
  settings: NEGOTIATION,
  prepare: async (service) => {
    await service.cancelAll();
    const made = await service.call<Made>('POST', 'reservations', { nodes: 4, duration_s: 7200, earliest_start: day(3, 6), latest_start: day(3, 8) });
    await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    ids.booked = made.id;
    ids.waiting = (await peak(service, 12)).id;
  },
});

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();
/** The form, which is closed on a phone. */
async function opened(page: Page): Promise<void> {
  const change = page.getByRole('button', { name: 'Change', exact: true }).filter({ visible: true });
  if ((await change.count()) === 0 || !(await change.isEnabled())) return;
  await change.click({ timeout: 5000 }).catch(async (thrown) => {
    // It may have been disabled in the meantime, for as long as the state lasts.
    if (await change.isEnabled()) throw thrown;
  });
}
const fill = (fields: Record<string, string>) => async (page: Page): Promise<void> => {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
};
/** Answers as the service does where it refuses. */
const refuse = (status: number, problem: object) => (route: Route) =>
  route.fulfill({ status, contentType: 'application/problem+json', json: { type: 'about:blank', title: 'Refused', status, ...problem } });
/** Answers other than to reads at this address are given so. */
const writes = (page: Page, at: string, how: (route: Route) => Promise<unknown> | undefined) =>
  page.route(at, (route) => (route.request().method() === 'GET' ? route.fallback() : how(route)));

const me = (projects: string[]) => ({ me: (real: MeDocument): MeDocument => ({ ...real, projects }) });
const PROJECTS = ['physics', LONG];
const MANY = 'more=1&partition=a&features=avx512&exclude=aube-1&only=aube-2,aube-3&tolerance=5&slowest=50';
const SHAPES = range(8, (index) => `${index + 2} ${index + 1}h`).join(';');
const PLACES = ['nodes', 'duration_s', 'earliest_start', 'latest_start', 'utilisation', 'labels', 'project', 'partition', 'features', 'exclude', 'only', 'tolerance', 'slowest_speed', 'alternatives'];
const ERRORS = PLACES.map((it) => ({ pointer: `/${it}`, detail: `${it}: no node of aube-[1-44] has what is asked for here; names are made of letters, digits, _ and -` }));
const refusedForm = (page: Page) => page.route('**/api/v1/quotes', refuse(400, { code: 'invalid', detail: 'the request has errors', errors: ERRORS }));

const FORM: State[] = [
  { name: 'open', at: 'plan', act: opened, again: opened, there: 'empty: now (Europe/Paris)' },
  { name: 'until a latest start', at: `plan?wait=start&until=${day(2, 6)}`, act: opened, again: opened, there: 'Latest start' },
  { name: 'until a deadline that is too early', at: `plan?wait=end&until=${day(0, 0)}`, there: /^Too early: it would have to start/ },
  { name: 'a latest start that is not said', at: 'plan?wait=start', there: 'A date and a time.' },
  { name: 'a start that has passed', at: `plan?after=${day(-2, 6)}`, there: /^That has passed\./ },
  { name: 'everything wrong', at: 'plan?nodes=many&for=long&tolerance=200&or=x y', there: 'Percent, between 0 and 100.' },
  { name: 'everything set', at: `plan?${MANY}&application=nemo&or=${SHAPES}&utilisation=25`, act: opened, again: opened, there: /^More \(\d+ set\)$/ },
  { name: 'more is open', at: 'plan', act: async (page) => {
    await opened(page);
    await page.getByText(/^More: which nodes/).click();
  }, again: opened, there: 'Other shapes that would do' },
  { name: 'everything refused', at: `plan?${MANY}&or=${SHAPES}&wait=start&until=${day(2, 6)}`, act: async (page) => {
    await refusedForm(page);
    await page.getByLabel('Nodes', { exact: true }).fill('7');
  }, there: /^slowest_speed: no node/ },
  { name: 'long names', at: `plan?application=${LONG}&project=${LONG}&partition=${LONG}`, act: opened, again: opened, there: LONG },
  { name: 'an application that is learnt', at: 'plan?application=nemo', act: opened, again: opened, there: /^Once it has run a few times/ },
  { name: 'one project', at: 'plan', answers: me(PROJECTS.slice(1)), act: isChosen('Project', ''), again: opened, there: 'Project' },
  { name: 'several projects', at: 'plan', answers: me(PROJECTS), act: isChosen('Project', ''), again: opened, there: 'whose quotas and shares it counts for' },
  { name: 'a project that is not one’s own', at: 'plan?project=chemistry', answers: me(PROJECTS), act: isChosen('Project', 'chemistry'), again: opened, there: 'Project' },
];

const RULE = 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=6,12,18;BYMINUTE=0,15,30,45;COUNT=12';
const made = (more: Partial<SeriesDocument['totals']>) => (real: SeriesDocument): SeriesDocument => ({ ...real, totals: { ...real.totals, ...more } });
const daily = `plan?nodes=1&for=1h&after=${day(2, 6)}&wait=6&repeat=day`;
const SERIES: State[] = [
  { name: 'repeated until nobody knows when', at: 'plan?repeat=day', there: 'Say how it is repeated, and until when.' },
  { name: 'on days of the week', at: `plan?repeat=week&days=MO,WE&last=${day(40).slice(0, 10)}`, act: opened, again: opened, there: /^Book it every week on/ },
  { name: 'every month', at: `plan?repeat=month&last=${day(300).slice(0, 10)}`, act: opened, again: opened, there: /^Book it every month/ },
  { name: 'by no rule', at: 'plan?repeat=rule', there: 'Book it again and again' },
  { name: 'by a long rule', at: `plan?repeat=rule&rule=${encodeURIComponent(RULE)}`, act: opened, again: opened, there: `Book it ${RULE}` },
  { name: 'refused', at: `${daily}&last=${day(6).slice(0, 10)}`, answers: { series: 'fails' }, act: press('Book the series'), there: FAILED },
  { name: 'booked', at: `${daily}&last=${day(6).slice(0, 10)}`, act: press('Book the series'), there: 'Booked every day' },
  {
    name: 'booked in part', at: `${daily}&last=${day(5).slice(0, 10)}`, answers: { series: made({ occurrences: 1234, booked: 3, waiting: 1200, impossible: 31 }) },
    act: press('Book the series'), there: /31 of them did not fit yet/,
  },
];

const anOffer = (one: object, index: number, more: Partial<HeldOffer> = {}) => ({ ...one, offer_id: `o${index}`, ...more }) as HeldOffer;
const HELD = [SOONEST, CHEAPEST, GOOD].map((it, index) => anOffer(it, index, { compromise: it === GOOD }));
const FEES = HELD.map((it) => ({ ...it, extra_power_fee: 1234.56, speed: 0.5, power_state: 'half-frequency', later_s: 7200 }));
/** What is held, in place of what was made; what is only listed stays as it is. */
const held = (more: Partial<ReservationDocument> = {}) => ({
  quotes: choice(), reservations: (real: ReservationDocument) => ('offers' in real ? { ...real, offers: HELD, ...more } : real),
});
const holdAll = async (page: Page) => {
  await press('Hold all while I think')(page);
  await page.getByText(/^Held for you for/).waitFor();
};
/** Presses to book what is held, which is answered so. */
const bookHeld = (how: (route: Route) => Promise<unknown> | undefined) => async (page: Page) => {
  await holdAll(page);
  await writes(page, '**/api/v1/reservations/*/choose', how);
  await press('Book A')(page);
};
/** Presses to hold, which is answered so. */
const holding = (how: (route: Route) => Promise<unknown> | undefined) => async (page: Page) => {
  await page.getByText('Hold all while I think').waitFor();
  await writes(page, '**/api/v1/reservations', how);
  await press('Hold all while I think')(page);
};
const rule = { rules: 'default', rule: `${LONG},physics,*,/`, measure: 'node_hours', limit: 123_456, used: 123_000, left: 456, asked: 12_345, per: 'week' };
const quota = (more: object) => refuse(403, { code: 'quota', detail: 'a quota is in the way', ...rule, from: hours(-48), to: hours(120), ...more });
const listed = (many: number) => ({
  reservations: () => ({
    items: range(many, (index) => ({ id: `01a21cfd-${index}`, owner: 'local', state: 'proposed', expires_at: hours(1), request: { nodes: 1234, duration_s: 93_780 }, offers: [] })),
    next_cursor: null,
  }),
});
const openHolds = (page: Page) => page.getByText(/^You still hold offers for \d requests/).click();
const HOLDS: State[] = [
  { name: 'held', at: 'plan', answers: held(), act: holdAll, there: 'Give back' },
  { name: 'held with a fee and slower', at: 'plan', answers: held({ offers: FEES }), act: holdAll, there: /1,235 EUR of the cost/ },
  { name: 'held without what is recommended', at: 'plan', answers: held({ offers: HELD.slice(0, 2) }), act: holdAll, there: 'Give back' },
  { name: 'one offer is held', at: 'plan', answers: held({ offers: HELD.slice(2) }), act: holdAll, there: 'Give back' },
  { name: 'held for what the form said before', at: 'plan', answers: held(), there: /^These offers are held for what the form said before\. Give/, act: async (page) => {
    await holdAll(page);
    await fill({ Nodes: '7' })(page);
  } },
  { name: 'the hold has ended', at: 'plan', answers: held({ expires_at: hours(-1) }), act: press('Hold all while I think'), there: /^The hold has ended\./ },
  { name: 'being booked', at: 'plan', answers: held(), act: bookHeld(() => undefined), there: 'Give back' },
  { name: 'being held', at: 'plan', answers: { quotes: choice() }, act: holding(() => undefined), there: 'One moment …' },
  { name: 'changed in the same moment', at: 'plan', answers: held(), act: bookHeld(refuse(409, { code: 'offer_changed' })), there: /^This offer changed in the same moment/ },
  { name: 'expired in the same moment', at: 'plan', answers: held(), act: bookHeld(refuse(409, { code: 'offers_expired' })), there: /^The hold has ended\./ },
  { name: 'somebody else was faster', at: 'plan', answers: { quotes: choice() }, act: holding(refuse(409, { code: 'impossible' })), there: /^Somebody else was faster/ },
  { name: 'too busy to hold', at: 'plan', answers: { quotes: choice() }, act: holding(fail), there: FAILED },
  { name: 'refused by a quota', at: 'plan', answers: { quotes: choice() }, act: holding(quota({ next_start: hours(121) })), there: /^Plan for/ },
  { name: 'refused by an adjusted quota', at: 'plan', answers: { quotes: choice() }, act: holding(quota({ adjustment: 'a1', next_start: null })), there: /^An operator adjusted the quota/ },
  { name: 'refused while rules change', at: 'plan', answers: { quotes: choice() }, act: holding(quota({ rule: undefined })), there: /^The rules of quotas change/ },
  { name: 'one’s own holds', at: 'plan', answers: { quotes: choice(), ...listed(1) }, there: /^You still hold offers for 1,?234 nodes/ },
  { name: 'one’s own holds of several requests', at: 'plan', answers: { quotes: choice(), ...listed(3) }, there: 'You still hold offers for 3 requests', act: openHolds },
  { name: 'one’s own holds cannot be given back', at: 'plan', answers: { quotes: choice(), ...listed(2) }, there: FAILED, act: async (page) => {
    await openHolds(page);
    await writes(page, '**/api/v1/reservations/*', fail);
    await press('Give them back')(page);
  } },
  { name: 'another request is held', at: 'plan?nodes=40&hold=x', answers: { 'reservations/x': 'fails' }, there: FAILED },
];

/** What waits, with this in place of what it says. */
const waiting = (more: Partial<ReservationDocument>) => ({ [`reservations/${ids.waiting}`]: (real: ReservationDocument) => ({ ...real, ...more }) });
/** What waits for the supplier, and then waits no more. */
function answered(more: Partial<ReservationDocument>) {
  let reads = 0;
  return { quotes: choice(), [`reservations/${ids.waiting}`]: (real: ReservationDocument) => ((reads += 1) === 1 ? real : { ...real, ...more }) };
}
const booked = (more: Partial<HeldOffer>) => ({
  [`reservations/${ids.booked}`]: (real: ReservationDocument) => ({ ...real, offers: real.offers.map((it) => ({ ...it, ...more })) }),
});
const NO = { code: 'refused', detail: 'the line to the substation is full until the new transformer is there', way_out: 'ask for fewer nodes, or for another time' };
const settled = (): State[] => [
  { name: 'the supplier is asked', at: `plan?hold=${ids.waiting}`, there: /^It has until/ },
  { name: 'the deadline has passed', at: `plan?hold=${ids.waiting}`, answers: waiting({ expires_at: hours(-1) }), there: /^The deadline has passed\./ },
  { name: 'asked whether to stop asking', at: `plan?hold=${ids.waiting}`, act: press('Stop asking'), there: 'Stop asking the supplier?' },
  { name: 'asking cannot be stopped', at: `plan?hold=${ids.waiting}`, there: FAILED, act: async (page) => {
    await press('Stop asking')(page);
    await writes(page, '**/api/v1/reservations/*', fail);
    await press('Yes, stop')(page);
  } },
  { name: 'the supplier said no', at: `plan?hold=${ids.waiting}`, answers: answered({ state: 'rejected', notice: NO }), there: /substation is full/ },
  { name: 'it waits no more', at: `plan?hold=${ids.waiting}`, answers: answered({ state: 'cancelled', notice: null }), there: 'It waits for the supplier no more.' },
  { name: 'the supplier said yes', at: `plan?hold=${ids.waiting}`, answers: answered({ state: 'proposed', offers: FEES, expires_at: hours(1) }), there: /^Held for you for/ },
  {
    name: 'another request is held', at: `plan?hold=${ids.waiting}`, answers: { quotes: choice(), ...waiting({ state: 'proposed' }) }, there: /^The offers that are held are for another request/,
  },
  { name: 'booked', at: `plan/${ids.booked}`, there: /They are yours/ },
  {
    name: 'booked with everything that is told', at: `plan/${ids.booked}`, there: LONG,
    answers: booked({
      node_count: 5000, nodes: range(200, (index) => `aube-rack-${index}-node-${index % 7}`), node_ranges: range(200, (index) => [4 * index, 4 * index + 1]), speed: 0.5,
      power_state: LONG, later_s: 7200, extra_power_fee: 1234.5, cost: 123_456_789, co2_g: 1e13, saves: { cost: 1e8, co2_g: -1e12, energy_j: 0 },
    }),
  },
  { name: 'asked whether to cancel', at: `plan/${ids.booked}`, act: press('Cancel it'), there: 'Cancel this reservation?' },
  { name: 'it cannot be cancelled', at: `plan/${ids.booked}`, there: FAILED, act: async (page) => {
    await press('Cancel it')(page);
    await writes(page, '**/api/v1/reservations/*', fail);
    await press('Yes, cancel it')(page);
  } },
  { name: 'cancelled', at: `plan/${ids.booked}`, there: /^The reservation is cancelled/, act: async (page) => {
    await press('Cancel it')(page);
    await writes(page, '**/api/v1/reservations/*', (route) => route.fulfill({ json: {} }));
    await press('Yes, cancel it')(page);
  } },
];

const GROUPS: Record<string, () => State[]> = {
  'what is asked for': () => FORM,
  'what is asked for again and again': () => SERIES,
  'what is held': () => HOLDS,
  'what is asked of the supplier, and booked': settled,
};
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 900_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states())).toEqual({});
  });
}
