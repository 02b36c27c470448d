// Series of reservations, in each of their states: nothing lies over anything else, and everybody can use them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { OccurrenceDocument, SeriesDocument } from '../src/api/schema';
import { HUGE, OWNER, PROJECT, press, problem, sent } from './bookings';
import { LONG, range } from './decisions';
import { day } from './peak';
import { FAILED, fail, inspectStates, type State } from './states';
import { hours, tour } from './tour';

let id = '';
const RULE = `FREQ=MONTHLY;BYMONTHDAY=${range(28, (index) => index + 1).join(',')}`;
const { service, visit } = tour({
  prepare: async (service) => {
    const request = { nodes: 2, duration_s: 3600, earliest_start: day(2, 6), latest_start: day(2, 12) };
    ({ id } = await service.call<{ id: string }>('POST', 'series', { request, recur: 'FREQ=DAILY', until: day(9, 0), choose: 'cost_co2_energy' }));
  },
});

type Act = (page: Page) => Promise<unknown>;
/** The series that there is, told as another. */
const series = (more: Partial<SeriesDocument> = {}): SeriesDocument => ({
  id, owner: 'local', state: 'running', also: [], except: [], choose: 'cost_co2_energy', created_at: hours(-50), recur: 'FREQ=WEEKLY;BYDAY=MO,TH', time_zone: 'Europe/Paris',
  until: day(60, 0), where_impossible: 'wait', request: { nodes: 4, duration_s: 7200, earliest_start: day(2, 6), latest_start: day(2, 12) }, ...more,
  totals: { occurrences: 48, booked: 12, waiting: 36, impossible: 0, left_out: 0, ended: 0, cost: 12.3, currency: 'EUR', co2_g: 4567, energy_j: 1.2e8, ...more.totals },
});
const all = { occurrences: 123_456, booked: 1, waiting: 100_000, impossible: 23_450, left_out: 2, ended: 3, cost: HUGE.cost, co2_g: HUGE.co2_g, energy_j: HUGE.energy_j };
const huge = (more: Partial<SeriesDocument> = {}) => series({
  owner: OWNER, project: PROJECT, recur: RULE, time_zone: 'America/Argentina/ComodRivadavia', request: { ...series().request, nodes: 12_345, duration_s: 3_601_234 }, totals: all, ...more,
});
const others = (many: number, of: (index: number) => Partial<SeriesDocument>) => range(many, (index) => series({ id: `s${index}`, ...of(index) }));
function state(name: string, there: State['there'], told: SeriesDocument[] | 'waits' | 'fails', more: Partial<State> = {}): State {
  const list = typeof told === 'string' ? told : () => ({ items: told, next_cursor: null });
  return { name, at: 'reservations/series', there, ...more, answers: { series: list, ...more.answers } };
}
const both = (...acts: Act[]): Act => async (page) => {
  for (const act of acts) await act(page);
};

const LIST = () => [
  state('there is none', /^Nothing is repeated/, []),
  state('is read', /^Reading the series/, 'waits'),
  state('cannot be read', FAILED, 'fails'),
  state('one', 'Each time', [series()]),
  state('of several people', OWNER, [series(), huge({ id: 's2' })]),
  state('many', 'Refused', others(40, (index) => ({ state: ['running', 'completed', 'ended', 'refused'][index % 4]!, recur: ['FREQ=DAILY', 'FREQ=MONTHLY', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;COUNT=120', RULE][index % 4]!, until: index % 3 ? day(60, 0) : null }))),
  state('each that can be the least', 'Each time', others(3, (index) => ({ choose: ['cost_co2_energy', 'co2_cost_energy', 'energy_cost_co2'][index]! }))),
  state('nothing of it is booked', /36 to be planned$/, [series({ totals: { ...all, occurrences: 36, booked: 0, waiting: 36, impossible: 0, left_out: 0, ended: 0, cost: 0, co2_g: 0, energy_j: 0, currency: null } })]),
  state('everything of it', /3 ended before$/, [series({ totals: all })]),
  state('asked whether to end it', /^Really\? What has not begun/, [huge()], { act: press('End it') }),
];

const ends = (answer: object | 'waits' | 'fails'): Act => async (page) => {
  await sent(page, /\/series\/[-\w]+$/, answer);
  await press('End it')(page);
  await press('Yes, end it')(page);
};
const ENDS = () => [
  state('is ended', 'Each time', [series()], { act: ends('waits') }),
  state('ended', /^Ended: what had not begun/, [series()], { act: ends(series()) }),
  state('not ended', FAILED, [series()], { act: ends('fails') }),
  state('not ended, for reasons of its own', new RegExp(LONG), [series()], { act: ends(problem(409, 'conflict', `the series ${LONG} is over`)) }),
];

const time = (index: number, more: Partial<OccurrenceDocument> = {}): OccurrenceDocument => ({
  occurrence: `2026-12-${String(index % 28 + 1).padStart(2, '0')}T08:00:${String(index % 60).padStart(2, '0')}Z`, earliest_start: hours(24 * index + 5), latest_start: hours(24 * index + 11), exception: false,
  state: 'booked', start: hours(24 * index + 6), end: hours(24 * index + 8), reservation_id: `r${index}`, reservation_state: 'confirmed', cost: 1.23, currency: 'EUR', ...more,
});
const NONE = { start: null, end: null, reservation_id: null, reservation_state: null, cost: null };
const WHY = { code: 'nodes', detail: `no start in the window: ${LONG} lacks 12 of the 16 nodes that are asked for` };
const KINDS: Partial<OccurrenceDocument>[] = [
  {}, { exception: true }, { reservation_state: 'active' }, { reservation_state: 'awaiting_supplier' }, { reservation_state: 'cancelled' }, { cost: HUGE.cost, currency: 'EUR' },
  { state: 'waiting', ...NONE, next_try_at: hours(3) }, { state: 'waiting', ...NONE, latest_start: hours(24 * 7 + 5), earliest_start: hours(24 * 7 + 5) },
  { state: 'impossible', ...NONE, reason: WHY, next_try_at: hours(3), exception: true }, { state: 'left_out', ...NONE }, { state: 'ended', ...NONE },
];
const each = KINDS.map((kind, index) => time(index, kind));
const gone = range(9, (index) => time(-index - 1, { reservation_state: 'completed' }));
const details = (occurrences: OccurrenceDocument[], more: Partial<SeriesDocument> = {}) => ({ [`series/${id}`]: () => series({ ...more, occurrences }) });
const opened = press('Each time');
const opens = (name: string, there: State['there'], occurrences: OccurrenceDocument[], act: Act = () => Promise.resolve(), more: Partial<SeriesDocument> = {}) =>
  state(name, there, [series(more)], { answers: details(occurrences, more), act: both(opened, act) });
const skips = (answer: object | 'waits' | 'fails'): Act => async (page) => {
  await sent(page, /\/occurrences\//, answer);
  await press(/^Leave out 2/)(page);
  await press('Yes, leave it out')(page);
};
const DETAILS = () => [
  state('each time is read', /^Reading each time/, [series()], { answers: { [`series/${id}`]: 'waits' }, act: opened }),
  state('each time cannot be read', FAILED, [series()], { answers: { [`series/${id}`]: 'fails' }, act: opened }),
  opens('each kind of a time', /lacks 12 of the 16/, each),
  opens('nothing is to come', 'Nothing is to come.', []),
  opens('nothing of it is to come', /^Show all 9/, gone),
  opens('many', 'Show all 130', range(130, (index) => time(index))),
  opens('all of many', /^Change what is to come/, [...gone, ...each, ...range(30, (index) => time(index + 20))], press(/^Show all/)),
  opens('of one that ended', 'Ended before', each, undefined, { state: 'ended' }),
  opens('of one with long words', /lacks 12 of the 16/, each, undefined, huge()),
  opens('asked whether to leave one out', 'Yes, leave it out', each, press(/^Leave out 2/)),
  opens('one is left out', 'Each time', each, skips('waits')),
  opens('one was left out', /^Left out: the others/, each, skips({})),
  opens('not left out', FAILED, each, skips('fails')),
  opens('not left out, for reasons of its own', new RegExp(`${LONG} has begun`), each, skips(problem(409, 'conflict', `the time ${LONG} has begun`))),
  opens('read, but then it fails', FAILED, each, async (page) => {
    await page.getByText('Change what is to come').waitFor();
    await page.route((url) => url.pathname.endsWith(`/series/${id}`), fail);
    await skips({})(page);
  }),
];

const form = (page: Page) => page.getByRole('form', { name: 'Change what is to come' });
type Fields = Record<string, string>;
const says = (fields: Fields, answer?: object | 'waits' | 'fails'): Act => async (page) => {
  await press('Change what is to come')(page);
  if (answer !== undefined) await sent(page, /\/series\/[-\w]+$/, answer);
  for (const [label, text] of Object.entries(fields)) {
    const field = form(page).getByLabel(label, { exact: true });
    if ((await field.evaluate((it) => it.tagName)) === 'SELECT') await field.selectOption(text);
    else await field.fill(text);
  }
  if (answer !== undefined) await form(page).getByRole('button', { name: 'Change', exact: true }).click();
};
const errors = problem(422, 'invalid', 'the change is not valid', {
  errors: ['nodes', 'duration_s', 'recur', 'until', 'tolerance'].map((it) => ({ pointer: `/${it}`, detail: `${LONG} is none that the site knows, nor one that it could be` })),
});
const FORM = () => [
  opens('every day', /^What is to come is planned anew/, each, says({ Repeat: 'day' })),
  opens('of a week', 'Thu', each, says({})),
  opens('by a rule', 'Rule', each, says({}), { recur: RULE }),
  opens('by another rule', 'Rule', each, says({ Repeat: 'rule', Rule: RULE })),
  opens('without an end', 'Until', each, says({ Repeat: 'month' }), { until: null, recur: 'FREQ=DAILY;COUNT=7' }),
  opens('everything is wrong', 'A whole number of nodes, 1 or more.', each, says({ Nodes: 'many', 'For how long': 'long', Repeat: 'rule', Rule: 'often', Until: '' }, {})),
  opens('without a last day', 'The last day.', each, says({ Repeat: 'month', Until: '' }, {})),
  opens('everything is refused', new RegExp(LONG), each, says({ Nodes: '7', Repeat: 'rule', Rule: RULE }, errors)),
  opens('is changed', 'Thu', each, says({ Nodes: '7' }, 'waits')),
  opens('not changed', FAILED, each, says({ Nodes: '7' }, 'fails')),
  opens('changed', /^Changed: what is to come/, each, says({ Nodes: '7', 'Each time': 'co2' }, series())),
  opens('changed in the meantime', /^It was changed in the meantime/, each, says({ Nodes: '7' }, problem(412, 'version_mismatch', 'there is a newer version'))),
];

const inFrench = () => [
  state('there is none', /^Rien ne se répète/, []),
  state('many', 'Terminée', others(8, (index) => ({ ...huge(), id: `s${index}`, state: ['running', 'completed', 'ended', 'refused'][index % 4]! }))),
  state('each kind of a time', 'Impossible pour l’instant', [huge()], { answers: details(each, huge()), act: press('Occurrences') }),
  state('the form', /^La suite est replanifiée/, [series()], { answers: details(each), act: both(press('Occurrences'), press('Modifier la suite')) }),
  state('asked whether to end it', /^Vraiment/, [huge()], { act: press('Arrêter') }),
];

const GROUPS: Record<string, () => State[]> = { 'the list': LIST, 'their ends': ENDS, 'each time': DETAILS, 'the form': FORM };
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
