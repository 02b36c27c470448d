// The list of reservations, in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import type { HeldOffer, MeDocument, ReservationDocument } from '../src/api/schema';
import { HUGE, NOTE, OWNER, PROJECT, SLURM, booking, held, listOf, none, press, problem, proposed, sent } from './bookings';
import { LONG, range } from './decisions';
import { FAILED, fail, inspectStates, type State } from './states';
import { book, type Booked } from './things';
import { hours, tour } from './tour';

let real: Booked;
const { service, visit } = tour({ prepare: async (service) => void (real = await book(service, 30)) });

const MINE = 'reservations';
const ALL = 'reservations?whose=all';
const PAST = 'reservations?tab=past';
const PAST_OF_ALL = `${PAST}&whose=all`;
type Items = ReservationDocument[] | (() => ReservationDocument[]) | 'waits' | 'fails';
/** A list of these. */
function state(name: string, at: string, there: State['there'], items: Items, more: Partial<State> = {}): State {
  const told = items === 'waits' || items === 'fails' ? items : () => listOf(...(typeof items === 'function' ? items() : items))();
  return { name, at, there, ...more, answers: { reservations: told, ...more.answers } };
}
/** Where answers are lists, they are made here; the page is loaded anew with them. */
const lists = (how: (route: Route, asked: URL) => Promise<void>) => async (page: Page) => {
  await page.route((url) => url.pathname.endsWith('/api/v1/reservations'), (route) => how(route, new URL(route.request().url())));
  await page.reload();
};
/** More than the page reads. */
const endless = lists((route, asked) => {
  const first = Number(asked.searchParams.get('cursor') ?? 0);
  const isPast = asked.searchParams.get('newest') === 'true';
  const items = range(500, (index) => booking(first + index, isPast ? { state: 'completed', offers: [held(-first - index - 5)] } : {}));
  return route.fulfill({ json: { items, next_cursor: `${first + 500}` } });
});
const member = (...projects: string[]) => ({ me: (it: MeDocument): MeDocument => ({ ...it, projects }) });
const open = (name: string) => (page: Page) => page.getByText(name, { exact: true }).first().click();

const saving = (cost: number, co2_g: number, energy_j: number) => ({ offers: [held(5, { saves: { cost, co2_g, energy_j } })] });
const some = range(3, (index) => booking(index));
const LIST = [
  state('nothing is booked', MINE, 'Nothing is booked here.', []),
  state('nothing of all is booked', ALL, 'Nothing is booked here.', []),
  state('nothing was booked', PAST, 'Nothing was booked here yet.', []),
  state('searched to nothing', `reservations?search=${LONG}`, /^Nothing here has/, some),
  state('is read', MINE, /^Reading the reservations/, 'waits'),
  state('cannot be read', MINE, FAILED, 'fails'),
  state('the past is read', PAST, /^Reading the reservations/, 'waits'),
  state('it is not known who asks', MINE, /^Reading the reservations/, some, { answers: { me: 'waits' } }),
  state('it cannot be known who asks', MINE, 'Which nodes', some, { answers: { me: 'fails' } }),
  state('read, but then it fails', ALL, FAILED, some, {
    act: async (page) => {
      await page.getByText('Which nodes').first().waitFor();
      await page.route((url) => url.pathname.endsWith('/api/v1/reservations'), fail);
      await page.getByLabel('Whose').selectOption('mine');
    },
  }),
  state('several pages', MINE, /^130 reservations, page 1/, range(130, (index) => booking(index))),
  state('the page in the middle', `${MINE}?page=2`, /^130 reservations, page 2/, range(130, (index) => booking(index))),
  { name: 'more than are read', at: MINE, there: /^These are the first 2,000/, act: endless },
  { name: 'more of the past than are read', at: PAST, there: /^These are the newest 2,000/, act: endless },
  state('of a project', `reservations?whose=${encodeURIComponent(`project ${PROJECT}`)}`, PROJECT, [booking(1, { project: PROJECT, owner: OWNER }), booking(2, { project: PROJECT })]),
  state('many projects', MINE, 'Which nodes', some, { answers: member(PROJECT, LONG, 'ice') }),
  ...['made', 'cost', 'nodes'].map((order) => state(`in order: ${order}`, `${MINE}?order=${order}`, 'Which nodes', some)),
  state('the past, newest first', PAST, 'Completed', [booking(1, { state: 'completed', offers: [held(-9)] })]),
  state('searched', `${MINE}?search=booked`, 'Which nodes', some),
];
const SUMS = [
  state('less than at once', MINE, /^1.* EUR less than/, [booking(1, saving(1, 500, 1e6))]),
  state('more than at once', MINE, /EUR more than/, [booking(1, saving(-1, -500, -1e6))]),
  state('the same as at once', MINE, /^the same as/, [booking(1, saving(0, 0, 0))]),
  state('huge amounts', MINE, /GWh/, range(8, (index) => booking(index, { offers: [held(5 + index, HUGE)] }))),
];

const notice = (code: string, detail: string, way_out = '', more: object = {}) => ({ notice: { code, detail, way_out, at: hours(-1), ...more } });
const lost = (causes: string[]) => ({
  degraded: true,
  ...notice('degraded', `2 of its 8 nodes (aube-1, aube-2) are out of service from ${hours(4)} to ${hours(9)} (${LONG}); no others that would do are free all the time`,
    'choose an offer of the replacement: it takes this one’s place; or wait, other nodes are taken as soon as they are free', { causes, missing_nodes: 1234 }),
});
const now = (cost: number | null, cap_kept: boolean) => ({
  now_expected: { evaluated_at: hours(-1), cap_kept, offers: [{ offer_id: 'o6', cost, co2_g: cost && 9.87e9, cap_kept }] },
});
const slow: Partial<HeldOffer> = { extra_power_fee: 123_456.78, speed: 0.7, power_state: 'a-state-of-the-processors-at-1400-MHz', later_s: 123_456 };
/** Everything that a row can have. */
const everything = (index: number, more: Partial<ReservationDocument> = {}) => booking(index, {
  owner: OWNER, project: PROJECT, ...lost(['outage', 'cap_lowered']), ...now(HUGE.cost, false), offers: [held(6, { ...HUGE, ...slow })],
  request: { ...booking(0).request, note: `${NOTE}\n${LONG}`, labels: { application: LONG, [LONG]: '3' } },
  shared_with: [{ user: OWNER, may: 'see' }, { project: PROJECT, may: 'act' }, ...range(9, (at) => ({ user: `user${at}@hpc.example.org`, may: 'use' }))], ...more,
});
const pair = [booking(1, lost(['outage'])), proposed(2, { replaces: booking(1).id })];
const ranges = range(9, (at) => [10_000 * at, 10_000 * at + 3999]);
const ROWS = [
  state('booked', MINE, /, starts in/, some),
  state('running', MINE, 'Running', [booking(1, { state: 'active', offers: [held(-1)] })]),
  state('offers are held', MINE, /^held for/, [proposed(1), proposed(2, { owner: 'local', offers: range(8, (at) => held(3 + at, { rankings: at ? [] : ['cost_co2_energy'], ...slow, ...HUGE })) })]),
  state('offers are held no more', MINE, 'held for 0:00', [proposed(1, { expires_at: hours(-1) })]),
  state('waits for the supplier', MINE, /^the supplier is asked.* from now$/, [none(1, 'awaiting_supplier', { expires_at: hours(3) })]),
  state('waits for too long', MINE, /the deadline has passed$/, [none(1, 'awaiting_supplier', { expires_at: hours(-3) })]),
  state('what is over', PAST, 'Rejected', [
    booking(1, { state: 'completed', offers: [held(-9)] }), booking(2, { state: 'cancelled', offers: [held(-8)] }), proposed(3, { state: 'cancelled' }), proposed(4, { state: 'expired' }),
    none(5, 'failed', notice('failed', `no node is left of ${LONG}`)), none(6, 'rejected', notice('refused', 'the supplier has no power to spare', 'ask for fewer nodes or another time, or with a higher fee limit')),
  ]),
  state('nodes are out of service', MINE, '1,234 nodes out of service', [booking(1, lost(['outage']))]),
  state('nobody knows how many are out of service', MINE, 'Nodes out of service', [booking(1, { degraded: true, notice: { code: 'outage' } })]),
  state('it fits no longer', MINE, 'No longer fits under the power cap', [booking(1, lost(['cap_lowered']))]),
  state('a better place is held', MINE, 'See 2 other starts', pair),
  state('is shown the better place', MINE, /^One of these may take/, pair, { act: press('See 2 other starts') }),
  state('now expected', MINE, /^As agendas stand now/, [booking(1, now(HUGE.cost, true))]),
  state('no price is known', MINE, /^For a part of it/, [booking(1, now(null, true))]),
  state('the cap was lowered', MINE, /^The power cap was lowered/, [booking(1, now(HUGE.cost, false))]),
  state('everything at once', ALL, /^shared with/, [everything(1), everything(2, { state: 'active' }), everything(3, { owner: 'local' })]),
  state('everything that is over', PAST_OF_ALL, /^shared with/, [everything(1, { state: 'completed' }), everything(2, { state: 'failed', owner: 'local' })]),
  state('which nodes', MINE, 'aube-44', [booking(1, { offers: [held(6, { nodes: range(44, (at) => `aube-${at + 1}`) })] })], { act: open('Which nodes') }),
  state('which of very many nodes', MINE, /in 9 ranges/, [booking(1, { offers: [held(6, { nodes: null, node_ranges: ranges, node_count: 36_000 })] })], { act: open('Which nodes') }),
  state('of one of several people', ALL, 'Reservations of several people', [booking(1, { owner: LONG, project: LONG }), booking(2)]),
  state('asked whether to cancel', MINE, 'Yes, cancel it', [everything(1, { owner: 'local' })], { act: press('Cancel') }),
  state('changed', MINE, /^It is planned anew/, () => [booking(1, { id: real.id })], { act: press(/^Change$/) }),
];
const IN_SLURM = SLURM.map(([name, slurm]) =>
  state(`Slurm ${name}`, MINE, /^No job has run|of nodes used$/, [booking(1, { slurm })], { act: (page) => page.getByText(/in Slurm$/).locator('visible=true').first().click() }));

/** The reservation that there is, told as another. */
const told = (more: Partial<ReservationDocument> = {}) => booking(1, { ...more, id: real.id });
/** What is done with it; `answer` is what the service says, and afterwards it is as `after` says. */
function deed(name: string, there: State['there'], before: Partial<ReservationDocument>, act: (page: Page) => Promise<unknown>, after: Partial<ReservationDocument> = { ...before, state: 'cancelled' }): () => State {
  return () => state(name, MINE, there, () => [told(before)], { answers: { [`reservations/${real.id}`]: () => told(after) }, act });
}
const ends = (answer: object | 'waits' | 'fails') => async (page: Page) => {
  // Ten seconds last for as long as is needed.
  await page.clock.setFixedTime(Date.now());
  await sent(page, /\/reservations\/[-\w]+$/, answer);
  await press('Cancel')(page);
  await press('Yes, cancel it')(page);
};
const undone = (made: object | 'waits' | 'fails') => async (page: Page) => {
  await ends({})(page);
  await sent(page, 'reservations', made);
  await sent(page, /\/choose$/, made);
  await page.getByRole('button', { name: /^Undo/ }).click();
};
const chooses = (answer: object | 'waits' | 'fails') => async (page: Page) => {
  await sent(page, /\/reservations\/[-\w]+\/choose$/, answer);
  await press('Book')(page);
};
const open_ = { state: 'proposed', chosen_offer_id: null, expires_at: hours(1), offers: [held(6), held(9)] };
const plain = { offers: [held(6)] };
const DEEDS = [
  deed('cancelled', /^Undo/, plain, ends({})),
  deed('cancelled for good', 'Plan it again', { ...plain, shared_with: [{ user: OWNER, may: 'see' }] }, ends({})),
  deed('cancelled, of several shapes that the plan cannot say', /^Cancelled: its nodes/, { ...plain, request: { ...booking(0).request, duration_s: { model: 'linear' } as never } }, ends({})),
  deed('is being cancelled', /, starts in/, plain, ends('waits'), plain),
  deed('not cancelled', FAILED, plain, ends('fails'), plain),
  deed('not cancelled, for reasons of its own', /is over/, plain, ends(problem(409, 'conflict', `the reservation ${LONG} is over`)), plain),
  deed('booked again', /^Booked again/, plain, undone(booking(7, plain))),
  deed('no longer free', /^That start is no longer free/, plain, undone(problem(422, 'impossible', 'no start in the window is possible'))),
  deed('not booked again', /What was cancelled stays cancelled/, plain, undone('fails')),
  deed('chosen', /^Booked: the nodes/, open_, chooses(booking(1)), plain),
  deed('not chosen', FAILED, open_, chooses('fails'), open_),
  deed('no longer what was shown', new RegExp(LONG), open_, chooses(problem(409, 'offer_changed', `the offer ${LONG} costs more now`)), open_),
];

const inFrench = [
  state('nothing is booked', MINE, 'Rien n’est réservé ici.', []),
  state('several pages', MINE, /^130 réservations/, range(130, (index) => booking(index))),
  state('everything at once', ALL, /^partagée avec/, [everything(1), everything(2, { state: 'active', slurm: SLURM[2]![1] }), everything(3, { owner: 'local' })]),
  state('a better place is held', MINE, /^L’une d’elles/, pair),
  state('waits for the supplier', MINE, /^puissance supplémentaire/, [none(1, 'awaiting_supplier', { expires_at: hours(3) }), proposed(2)]),
  state('what is over', PAST, 'Expirée', [booking(1, { state: 'completed', offers: [held(-9, HUGE)] }), proposed(4, { state: 'expired' })]),
  state('asked whether to cancel', MINE, 'Oui, annuler', [everything(1, { owner: 'local' })], { act: press('Annuler') }),
];

const GROUPS: Record<string, () => State[]> = {
  'the list': () => LIST, 'its sums': () => SUMS, rows: () => ROWS, 'rows of Slurm': () => IN_SLURM, 'what is done with them': () => DEEDS.map((it) => it()),
};
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 900_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states())).toEqual({});
  });
}
test('the same in French, whose words are longer', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, locale: 'fr-FR' });
  expect(await inspectStates(page, service.url, inFrench)).toEqual({});
});
