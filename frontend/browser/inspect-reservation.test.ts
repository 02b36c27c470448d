// The page of one reservation, in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type { BasisDocument, HeldOffer, NegotiationDocument, PowerDocument, ReportRowDocument, ReservationDocument } from '../src/api/schema';
import { HUGE, NOTE, OWNER, PROJECT, SLURM, as, booking, held, none, press, problem, proposed, sent, slurm } from './bookings';
import { LONG, range } from './decisions';
import { FAILED, inspectStates, type State } from './states';
import { book, type Booked } from './things';
import { hours, tour } from './tour';

let real: Booked;
let other: Booked;
const { service, visit } = tour({
  prepare: async (service) => {
    real = await book(service, 30);
    other = await book(service, 50);
  },
});

type Act = (page: Page) => Promise<unknown>;
/** The reservation that there is, told as another. */
function state(name: string, there: State['there'], told: ReservationDocument, more: Partial<State> = {}): State {
  return { name, at: `reservations/${real.id}`, there, ...more, answers: { [`reservations/${real.id}`]: () => ({ ...told, id: real.id }), ...more.answers } };
}
/** Answers that are made here, with which the page is loaded anew. */
const anew = (path: string, how: (route: Route, asked: URL) => Promise<void>): Act => async (page) => {
  await page.route((url) => url.pathname.endsWith(`/api/v1/${path}`), (route) => how(route, new URL(route.request().url())));
  await page.reload();
};
const refused = (status: number, code: string, detail: string): Act => (page) =>
  anew(`reservations/${real.id}`, (route) => route.fulfill({ status, contentType: 'application/problem+json', json: problem(status, code, detail) }))(page);
/** A list that never ends. */
const endless = (path: string, items: object[]) => anew(path, (route, asked) => route.fulfill({ json: { items, next_cursor: Number(asked.searchParams.get('cursor') ?? 0) + 1 } }));

const booked = booking(1, { owner: OWNER, project: PROJECT });
const lost = {
  degraded: true,
  notice: {
    code: 'degraded', causes: ['outage', 'cap_lowered'], missing_nodes: 2, detail: `2 of its 8 nodes (aube-1, aube-2) are out of service from ${hours(4)} to ${hours(9)} (${LONG})`,
    way_out: 'choose an offer of the replacement: it takes this one’s place; or wait, other nodes are taken as soon as they are free',
  },
};
const everything = booking(1, {
  ...lost, owner: OWNER, project: PROJECT, slurm: SLURM[2]![1], series: 's1', occurrence: hours(6), priority: 1000, shared_with: [{ user: OWNER, may: 'see' }, { project: PROJECT, may: 'act' }],
  offers: [held(6, { ...HUGE, extra_power_fee: 123_456.78, speed: 0.7, power_state: 'a-state-of-the-processors-at-1400-MHz', later_s: 123_456, nodes: range(44, (at) => `aube-${at + 1}`) })],
  request: {
    ...booking(0).request, note: `${NOTE}\n${LONG}`, labels: { application: LONG, [LONG]: '3' }, latest_end: hours(40), partition: LONG, features: ['avx512', LONG], utilisation: 0.125, slowest_speed: 0.5,
    exclude: range(20, (at) => `aube-${at + 1}`), only: [`aube-[${range(60, (at) => 2 * at).join(',')}]`], alternatives: range(7, (at) => ({ nodes: at + 1, duration_s: 3600 })), give_back: 'jobs_ended',
  },
});
const PAGE = () => [
  state('booked', 'What was asked for', booked),
  state('is read', /^Reading it/, booked, { answers: { [`reservations/${real.id}`]: 'waits' } }),
  state('cannot be read', FAILED, booked, { answers: { [`reservations/${real.id}`]: 'fails' } }),
  { name: 'there is none', at: 'reservations/0199a2c4-7f00-7000-8000-000000000001', there: /^There is none of this name/ },
  { name: 'it is no name', at: `reservations/${LONG.repeat(3)}`, there: /^There is none of this name/ },
  state('it is not for who asks', /^This page is not for you/, booked, { act: refused(403, 'forbidden', `user:ada may not reservation.read: it is ${OWNER}’s, and ${LONG}`) }),
  state('offers are held', /^held for/, proposed(1)),
  state('runs', 'Running', booking(1, { state: 'active', offers: [held(-1)] })),
  state('waits for the supplier', /^the supplier is asked/, none(1, 'awaiting_supplier', { expires_at: hours(3) })),
  state('completed', 'Completed', booking(1, { state: 'completed', offers: [held(-9)] })),
  state('cancelled', 'Cancelled', booking(1, { state: 'cancelled' })),
  state('expired', 'nothing is held', proposed(1, { state: 'expired', expires_at: hours(-1) })),
  state('rejected', /^The supplier says no/, none(1, 'rejected', { notice: { code: 'refused', detail: 'no power to spare', way_out: 'ask for fewer nodes or another time' } })),
  state('failed', 'Failed', none(1, 'failed', { notice: { code: 'failed', detail: `no node is left of ${LONG}`, way_out: '' } })),
  state('a better place is held', 'See 2 other starts', booking(1, lost), { answers: { reservations: () => ({ items: [proposed(2, { replaces: real.id })], next_cursor: null }) } }),
  state('it may take another’s place', /^One of these may take the place/, proposed(1, { replaces: other.id })),
  state('everything at once', /^shared with/, everything),
  state('its address is copied', /^Copied|^It is selected/, booked, { act: press('Copy the address') }),
];

const basis = (quantity: string, index: number): BasisDocument => ({
  quantity, source: index % 3 ? LONG : index ? '' : 'demo', standing: ['fresh', 'last_good', 'put', 'contract', 'forecast', 'safe_mode'][index % 6]!, quality: ['measured', 'forecast', 'estimated'][index % 3]!,
  issued_at: hours(-2), received_at: index % 4 ? hours(-1) : null,
});
const rests = booking(1, { basis: ['price', 'co2', 'power_cap', 'price', 'co2', 'power_cap', 'price', 'co2'].map(basis) });
const asked = (index: number): NegotiationDocument => ({ id: `n${index}`, kind: 'extra_power', state: 'closed', opened_at: hours(-50 + index), subject: { reservations: [{ id: real.id }], degraded: [] } });
const CONNECTIONS = () => [
  state('of a series', /^the time of/, booking(1, { series: 's1', occurrence: hours(6) })),
  state('of sources', LONG, rests),
  state('of sources that are not told', 'Connected with it', rests, { answers: { rights: as('user', 'feed.read', 'negotiation.read') } }),
  state('of negotiations', /^extra power, asked/, booked, { answers: { negotiations: () => ({ items: range(9, asked), next_cursor: null }) } }),
  state('of very many nodes', /in 9 ranges/, booking(1, { offers: [held(6, { nodes: null, node_ranges: range(9, (at) => [10_000 * at, 10_000 * at + 3999]), node_count: 36_000 })] })),
  state('of nothing', 'Connected with it', none(1, 'failed', { request: { ...booking(0).request, duration_s: { model: 'linear' } as never } })),
];

const HOUR = 3_600_000;
const at = (back: number) => new Date(Math.floor(Date.now() / HOUR) * HOUR - back * HOUR).toISOString().replace('.000', '');
const over = (more: Partial<HeldOffer> = {}, times: Partial<ReservationDocument> = {}) =>
  booking(1, { state: 'completed', owner: OWNER, offers: [held(6, { start: at(9), end: at(1), ...more })], ...times });
const sum = (more: Partial<ReportRowDocument> = {}) => ({
  reservation: real.id, energy_j: 1.5e7, energy_kwh: 1.5e7 / 3.6e6, measured_share: 0.67, cost: 1, currency: 'EUR', co2_location_kg: 0.4, measured_saving_cost: -0.1, measured_saving_co2_kg: 0.1,
  node_hours_reserved: 64, ...more,
});
const stated = (rows: object[], statedTo: string | null) => ({ reports: (it: object) => ({ ...it, stated_to: statedTo, rows }) });
const ledger = (joules: (hour: number) => number) => ({
  ledger: () => ({ items: range(8, (hour) => ({ hour_start: at(9 - hour), holder: 'reservation', reservation_id: real.id, energy_j: joules(hour), measured_j: hour < 5 ? joules(hour) : 0 })), next_cursor: null }),
});
const drawn = ledger((hour) => 1e6 + 2e5 * hour);
/** Points at a part of the chart, from 0 to 1. */
const pointAt = (share: number): Act => async (page) => {
  const chart = page.getByRole('img', { name: /^Power of the reservation|^Puissance de la réservation/ });
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.boundingBox())!;
  await page.mouse.move(box.x + 170 + (box.width - 170) * share, box.y + box.height / 2);
};
const runs = booking(1, { state: 'active', owner: OWNER, offers: [held(-2, { start: at(2), end: hours(9) })] });
const power = (more: object) => ({
  power: (it: PowerDocument) => ({ ...it, reservations: [{ reservation_id: real.id, owner: OWNER, nodes: 44, measured_nodes: 44, planned_power_w: 123_456, planned_of_measured_w: 98_765, measured_power_w: 1_234_567, ...more }] }),
});
const COMPARISON = () => [
  state('what came is not told', /^What came is told to its owner/, over(), { answers: { rights: as('user') } }),
  state('it has not begun', /^What came is told once/, booked),
  state('nothing is stated', /^The ledger has nothing of it yet/, over(), { answers: stated([], null) }),
  state('a part is stated', /^Stated until/, over(), { answers: { ...stated([sum()], at(4)), ...drawn } }),
  state('all is stated', /67 % of the energy was measured/, over(), { answers: { ...stated([sum()], at(0)), ...drawn } }),
  state('nothing was measured', /nothing was measured/, over(), { answers: { ...stated([sum({ measured_share: 0, cost: null, co2_location_kg: null })], at(0)), ...drawn } }),
  state('all was measured, as promised', /all of the energy was measured/, over({ energy_j: 1.5e7, cost: 1, co2_g: 400 }), { answers: { ...stated([sum({ measured_share: 1 })], at(0)), ...drawn } }),
  state('huge amounts', /GWh less/, over({ ...HUGE, extra_power_fee: 123_456.78 }), {
    answers: { ...stated([sum({ energy_j: 9e14, cost: HUGE.cost * 2, co2_location_kg: 1e5, measured_saving_cost: -7_654_321 })], at(0)), ...ledger((hour) => 1e14 * (hour + 1)) },
  }),
  state('what came is read', 'What was promised, and what came', over(), { answers: { reports: 'waits' } }),
  state('what came cannot be read', FAILED, over(), { answers: { reports: 'fails' } }),
  state('the ledger cannot be read', FAILED, over(), { answers: { ...stated([sum()], at(0)), ledger: 'fails' } }),
  state('it draws more than is planned', /^Now: 44 nodes draw/, runs, { answers: power({}) }),
  state('a part of it is measured', /^Now: 12 of 44/, runs, { answers: power({ measured_nodes: 12 }) }),
  state('nothing of it is measured', /nothing of it is measured/, runs, { answers: power({ measured_nodes: 0, measured_power_w: null }) }),
  state('what it draws cannot be read', 'Running', runs, { answers: { power: 'fails' } }),
  state('a measured hour is pointed at', /measured · .* expected/, over(), { answers: { ...stated([sum()], at(0)), ...drawn }, act: pointAt(0.3), again: pointAt(0.3) }),
  state('an estimated hour is pointed at', /by estimate · /, over(), { answers: { ...stated([sum()], at(0)), ...drawn }, act: pointAt(0.8), again: pointAt(0.8) }),
  state('too many rows', /Not all hours are drawn/, over(), { answers: stated([sum()], at(0)), act: endless('ledger', [{ hour_start: at(9), reservation_id: real.id, energy_j: 1e6, measured_j: 1e6 }]) }),
];

const DEEDS = ['create_reservation', 'choose_offer', 'modify_reservation', 'extend_reservation', 'release_reservation', 'swap_nodes', 'share_reservation', 'unshare_reservation', 'transfer_reservation', 'cancel_reservation'];
const record = (action: string, index: number, more: object = {}) => ({
  id: index, action, actor: index % 2 ? OWNER : 'ada', for: index % 4 ? '' : LONG, at: hours(-40 + index), outcome: '200', before: null, after: null, object: `reservations/${real.id}`, ...more,
});
const CHANGES = () => [
  { before: { state: 'proposed' }, after: { state: 'confirmed', start: hours(3), end: hours(5) } },
  { before: { state: 'confirmed', start: hours(3), end: hours(5) }, after: { state: 'confirmed', start: hours(30), end: hours(50) } },
  { before: { owner: { person: 'ada' } }, after: { owner: { person: OWNER } } },
  { outcome: `403 forbidden: user:${OWNER} may not reservation.transfer of ${LONG}` },
];
const trail = (...items: object[]) => ({ audit: () => ({ items, next_cursor: null }) });
const HISTORY = () => [
  state('of everything', /ended sharing it$/, booked, { answers: trail(...DEEDS.map((it, index) => record(it, index))) }),
  state('with what changed', /^not done:/, booked, { answers: trail(...CHANGES().map((it, index) => record('modify_reservation', index, it))) }),
  state('is not told', /^Who changed it and when/, booked, { answers: { rights: as('user', 'audit.read') } }),
  state('is read', 'History', booked, { answers: { audit: 'waits' } }),
  state('cannot be read', FAILED, booked, { answers: { audit: 'fails' } }),
  state('more than is told', /^These are the oldest/, booked, { act: endless('audit', [record('modify_reservation', 3)]) }),
];

const put = slurm('in_force', 12_345);
const ofSlurm = (more: Partial<ReservationDocument>) => booking(1, { slurm: put, owner: OWNER, ...more });
const IN_SLURM = () => [
  ...SLURM.map(([name, it]) => state(`Slurm ${name}`, 'How to use it', booking(1, { slurm: it, owner: OWNER }))),
  state('in a partition', /^A job may have a time limit/, ofSlurm({ request: { ...booking(0).request, partition: LONG } })),
  state('it ends at once', 'How to use it', ofSlurm({ state: 'active', offers: [held(-2, { end: hours(0.01) })] })),
  state('it is cancelled', 'How to use it', ofSlurm({ state: 'cancelled' })),
  state('a line is copied', /^Copied|^It is selected/, ofSlurm({}), { act: press(/^Copy line for a batch/) }),
];

const open = { state: 'proposed', chosen_offer_id: null, expires_at: hours(1), offers: [held(6), held(9)] };
const cancels = (answer: object | 'fails'): Act => async (page) => {
  await page.clock.setFixedTime(Date.now());
  await sent(page, /\/reservations\/[-\w]+$/, answer);
  await press('Cancel')(page);
  await press('Yes, cancel it')(page);
};
const chooses = (answer: object | 'fails'): Act => async (page) => {
  await sent(page, /\/choose$/, answer);
  await press('Book')(page);
};
const DONE = () => [
  state('asked whether to cancel', 'Yes, cancel it', everything, { act: press('Cancel') }),
  state('cancelled', /^Undo/, booking(1), { act: cancels({}) }),
  state('not cancelled', FAILED, booking(1), { act: cancels('fails') }),
  state('booked', /^Booked: the nodes/, booking(1, open), { act: chooses(booking(1)) }),
  state('not booked', new RegExp(LONG), booking(1, open), { act: chooses(problem(409, 'offer_changed', `the offer ${LONG} costs more now`)) }),
];

const inFrench = () => [
  state('everything at once', /^partagée avec/, everything),
  state('all is stated', /67 % de l’énergie/, over(HUGE), { answers: { ...stated([sum()], at(0)), ...drawn }, act: pointAt(0.3), again: pointAt(0.3) }),
  state('a part of it is measured', /^En ce moment/, runs, { answers: power({ measured_nodes: 12 }) }),
  state('its history', /^sans effet/, booked, { answers: trail(...DEEDS.map((it, index) => record(it, index)), ...CHANGES().map((it, index) => record('modify_reservation', index, it))) }),
  state('its sources', 'Liens', rests, { answers: { negotiations: () => ({ items: range(3, asked), next_cursor: null }) } }),
  state('in Slurm', 'Comment l’utiliser', ofSlurm({})),
  state('it may take another’s place', /^L’une d’elles/, proposed(1, { replaces: other.id })),
  { name: 'there is none', at: `reservations/${LONG}`, there: /^Rien ne porte ce nom/ },
];

const GROUPS: Record<string, () => State[]> = {
  'the page': PAGE, connections: CONNECTIONS, 'what was promised, and what came': COMPARISON, history: HISTORY, Slurm: IN_SLURM, 'what is done there': DONE,
};
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 900_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states())).toEqual({});
  });
}
test('the same in French, whose words are longer', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, locale: 'fr-FR' });
  expect(await inspectStates(page, service.url, inFrench())).toEqual({});
});
