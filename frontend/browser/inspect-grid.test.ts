// What the supplier says and is asked, in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { AgendaDocument, AgreementDocument, FeedDocument, FeedsDocument, GrantDocument, NegotiationDocument } from '../src/api/schema';
import type { PowerSpan } from '../src/ui/negotiations';
import { NEGOTIATION, day, peak } from './peak';
import { FAILED, inspectStates, isChosen, type State } from './states';
import { hours, tour } from './tour';

type Asked = NegotiationDocument & { subject: { power: PowerSpan[] } };
/** Negotiations by how they ended; one still waits. */
const ids = { granted: '', refused: '', partly: '', waiting: '' };

/** Asks for power on that day; the negotiation, once the supplier was asked. */
async function ask(ahead: number): Promise<Asked> {
  await peak(service, ahead);
  for (;;) {
    const { items } = await service.call<{ items: Asked[] }>('GET', 'negotiations?state=open');
    const found = items.find((it) => it.kind === 'extra_power');
    if (found) return found;
    await new Promise((done) => setTimeout(done, 200));
  }
}
async function answer({ id }: Asked, body: unknown): Promise<string> {
  await service.call('POST', `negotiations/${id}/answer`, body);
  for (;;) {
    const { negotiation } = await service.call<{ negotiation?: NegotiationDocument; state?: string }>('GET', `negotiations/${id}`);
    if (negotiation?.state !== 'open') return id;
    await new Promise((done) => setTimeout(done, 200));
  }
}
const powerOf = ({ subject }: Asked, share: number, fee = 0) =>
  subject.power.map(({ start, end, power_w }, index) => ({ start, end, power_w: Math.floor(power_w * share), fee: index === 0 ? fee : 0 }));

const { service, visit } = tour({
  settings: NEGOTIATION,
  timeout: 180_000,
  prepare: async () => {
    const granted = await ask(12);
    ids.granted = await answer(granted, { answer: 'offered', power: powerOf(granted, 1, 1.5) });
    ids.refused = await answer(await ask(14), { answer: 'refused', reason: 'the line to the substation is full until the new transformer is there' });
    const partly = await ask(16);
    ids.partly = await answer(partly, { answer: 'granted', power: powerOf(partly, 0.3), last_word: true });
    ids.waiting = (await ask(18)).id;
  },
});

const range = <T>(many: number, of: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => of(index));
/** An instant as `datetime-local` shows it in Paris. */
const wall = (instant: string) => new Date(instant).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16);
const onHour = (ahead: number) => hours(ahead).replace(/:\d\d:\d\dZ/, ':00:00Z');
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();

const DETAIL = 'https://api.example.org/v3/power-breakdown/forecast?zone=FR answered 401 Unauthorized';
const feedsOf = (change: (one: FeedDocument) => FeedDocument[]) => (real: FeedsDocument): FeedsDocument => ({
  ...real, feeds: real.feeds.flatMap(change), agendas: real.agendas.map((it) => ({ ...it, gaps: [{ start: hours(2), end: hours(5) }] })),
});
const failed = feedsOf((one) => ['late', 'failing', 'never'].map((status) => ({
  ...one, id: `${one.id}-${status}`, status, last_error: { at: hours(-1), class: 'refused', detail: DETAIL }, failures: 12,
  last_success_at: status === 'never' ? null : hours(-40),
})));
const worse = feedsOf((one) => [{ ...one, status: 'late', last_error: { at: hours(-1), class: 'transient', detail: DETAIL }, last_poll_at: null }]);
/** Five sources with long names, five times, of every quantity. */
const RIVALS = range(5, (index) => `day-ahead-auction-of-the-neighbouring-zone-${index}`);
const disagreeing = (real: FeedsDocument): FeedsDocument => ({
  ...real,
  feeds: real.feeds.flatMap((one) => [one, ...RIVALS.map((id) => ({ ...one, id: `${id}-of-${one.quantity}` }))]),
  agendas: real.agendas.map((it) => {
    const sources = [...it.chain, ...RIVALS.map((id) => `${id}-of-${it.quantity}`)];
    const values = sources.map((source, index) => ({ source, value: 12_345.678 * (index + 1) }));
    const [start, end] = [(index: number) => hours(30 * index - 5), (index: number) => hours(30 * index - 1)];
    return {
      ...it, chain: sources, take: 'median', disagreeing_since: hours(-3),
      disagreements: range(5, (index) => ({
        start: start(index), end: end(index), apart_s: 5400, sources, values, taken: index % 2 ? null : values[2],
        widest_start: start(index), widest_end: end(index),
      })),
    };
  }),
});
const judged = (real: AgreementDocument): AgreementDocument => ({
  ...real, judged_s: 500_000, disagreements: 123, apart_s: 90_000,
  sources: [...real.sources.map((it) => it.source), ...RIVALS].map((source, index) => ({
    source, judged_s: 400_000 + index, referee_s: index % 2 ? 0 : 123_456, bias: -1234.5 * index, mae: 2345.6 * index, disagreements: 123, nearest: 20 * index,
    mae_apart: index ? 3456.7 : null, usual_ratio: 1 + index / 3,
  })),
});
const unjudged = (real: AgreementDocument): AgreementDocument => ({ ...real, judged_s: 0, disagreements: 0, apart_s: 0 });
const gaps = (real: AgendaDocument): AgendaDocument => ({
  ...real, pieces: real.pieces.filter((_, index) => index % 4 !== 0) as typeof real.pieces, gaps: [{ start: hours(2), end: hours(5) }],
});
const nothing = (real: AgendaDocument): AgendaDocument => ({ ...real, pieces: [], provenance: [] });
const grant = (index: number): GrantDocument => ({
  grant_id: `g${index}`, id: `telephone-call-of-the-shift-supervisor-${index}`, negotiation_id: index % 2 ? ids.granted : null, power_w: 1234.5 * (index + 1),
  fee: index % 2 ? 12.5 : 0, received_at: hours(-2), start: hours(index), end: hours(index + 30), standing: ['set_aside', 'in_force', 'revoked'][index % 3] ?? '',
});
const grants = () => ({ items: range(9, grant) });
const negotiations = (real: { items: NegotiationDocument[] }, asked: URL) => {
  const [one] = real.items;
  if (asked.searchParams.get('state') !== 'closed' || !one) return real;
  const outcomes = ['granted', 'partly_granted', 'refused', 'unanswered', 'withdrawn'];
  return { ...real, items: range(10, (index) => ({ ...one, id: `n${index}`, outcome: outcomes[index % 5], opened_at: hours(-index) })) };
};

const pointed = (page: Page) => page.getByRole('img', { name: /^Price, CO₂ intensity and power cap/ }).press('ArrowRight');
const FEEDS: State[] = [
  { name: 'fresh, compared with before', at: 'grid?ago=24&days=7', there: 'Nothing was known then about this time.' },
  { name: 'a day', at: 'grid?days=1', act: isChosen('Ahead', '1'), there: 'Feeds' },
  { name: 'four weeks', at: 'grid?days=28', act: isChosen('Ahead', '28'), there: 'Feeds' },
  { name: 'late, failed and never heard of', at: 'grid', answers: { feeds: failed }, there: /^The provider refused the request/ },
  { name: 'sources disagree', at: 'grid', answers: { feeds: disagreeing }, there: /disagree on the price/ },
  {
    name: 'all disagreements are open', at: 'grid', answers: { feeds: disagreeing }, act: (page) => page.getByText('2 other disagreements').first().click(),
    there: /disagree on the power cap/,
  },
  { name: 'no feed', at: 'grid', answers: { feeds: feedsOf(() => []) }, there: /^No feed is set up/ },
  { name: 'what they said', at: 'grid', act: (page) => page.getByText('Revisions').first().click(), there: /, \d+ pieces? for / },
  { name: 'asked now', at: 'grid', act: press('Ask now'), there: /^It will be asked / },
  { name: 'agendas with gaps', at: 'grid', answers: { feeds: feedsOf((one) => [one]), 'agendas/price': gaps, 'agendas/co2': gaps, 'agendas/power-cap': gaps }, there: /; 1 gap\.$/ },
  { name: 'no agenda', at: 'grid', answers: { 'agendas/price': nothing, 'agendas/co2': nothing, 'agendas/power-cap': nothing }, there: 'no price known' },
  { name: 'agendas are read', at: 'grid', answers: { 'agendas/price': 'waits' }, act: pointed, there: /being read …$/ },
  { name: 'parts cannot be read', at: 'grid', answers: { 'agendas/price': 'fails', feeds: 'fails', grants: 'fails', negotiations: 'fails' }, there: FAILED },
];

const form = (page: Page) => page.getByRole('form', { name: 'Put an agenda' });
async function span(page: Page, value?: string, [from, until] = [50, 52]): Promise<void> {
  await form(page).getByLabel('From').fill(wall(onHour(from)));
  await form(page).getByLabel('Until').fill(wall(onHour(until)));
  if (value !== undefined) await form(page).getByLabel(/^Value/).fill(value);
  await form(page).getByRole('img', { name: /^The agenda as it would be/ }).waitFor();
}
const as = (page: Page, way: string) => form(page).getByLabel('As', { exact: true }).selectOption(way);
async function table(page: Page, lines: readonly string[]): Promise<void> {
  await as(page, 'table');
  await form(page).getByRole('textbox', { name: 'Table' }).fill(['start,end,price_per_mwh', ...lines].join('\n'));
}
const line = (index: number, value: number | string) => `${onHour(60 + index)},${onHour(61 + index)},${value}`;
const AGENDA: State[] = [
  { name: 'nothing filled in', at: 'grid', act: (page) => form(page).getByRole('button', { name: 'Put it' }).click(), there: 'A date and a time.' },
  {
    name: 'asked whether to put it', at: 'grid', there: /^Replace the price, /,
    act: async (page) => {
      await span(page, '321.5');
      await press('Put it')(page);
    },
  },
  {
    name: 'refused by the service', at: 'grid', there: /must lie between -1e6 and 1e6/,
    act: async (page) => {
      await span(page, '1e9');
      await press('Put it')(page);
      await press('Yes, replace it')(page);
    },
  },
  {
    name: 'put', at: 'grid', there: /^Put: the price, .* 1 piece\.$/,
    act: async (page) => {
      await span(page, '321.5');
      await press('Put it')(page);
      await press('Yes, replace it')(page);
    },
  },
  {
    name: 'a cap that is too low', at: 'grid', there: /^What is reserved is above this cap/,
    act: async (page) => {
      await form(page).getByLabel('Agenda').selectOption('power-cap');
      await span(page, '100', [0, 24]);
    },
  },
  {
    name: 'asked whether to withdraw a cap', at: 'grid', there: /^Withdraw the power cap, /,
    act: async (page) => {
      await form(page).getByLabel('Agenda').selectOption('power-cap');
      await as(page, 'nothing');
      await span(page);
      await press('Withdraw it')(page);
    },
  },
  {
    name: 'errors of a table', at: 'grid', there: 'and 5 more.',
    act: async (page) => {
      await table(page, range(25, (index) => line(index, 'dear, because of the cold')));
      await press('Put it')(page);
    },
  },
  { name: 'a table', at: 'grid', act: (page) => table(page, range(24, (index) => line(index, 10 * index))), there: 'Dashed: as it is now. Where both agree there is one line.' },
];

const granting = (page: Page) => page.getByText('Grant power that nobody asked for').click();
const grantForm = (page: Page) => page.getByRole('form', { name: 'Grant extra power' });
const GRANTS: State[] = [
  { name: 'no grant', at: 'grid', answers: { grants: () => ({ items: [] }) }, act: granting, there: 'Nobody has power beyond the cap.' },
  { name: 'many grants', at: 'grid', answers: { grants }, there: 'its negotiation' },
  { name: 'asked whether to take one back', at: 'grid', answers: { grants }, act: press(/^Take it back/), there: 'Take this power back? Reservations that need it give way.' },
  {
    name: 'nothing filled in', at: 'grid', there: 'Watts, more than none.',
    act: async (page) => {
      await granting(page);
      await press('Grant it')(page);
    },
  },
  {
    name: 'granted', at: 'grid', there: /^Granted: 1\.23 kW more/,
    act: async (page) => {
      await granting(page);
      await grantForm(page).getByLabel('From').fill(wall(day(20, 6)));
      await grantForm(page).getByLabel('Until').fill(wall(day(20, 8)));
      await grantForm(page).getByLabel('Power on top of the cap, W').fill('1234');
      await press('Grant it')(page);
    },
  },
];

const answering = (page: Page) => page.getByRole('form', { name: 'Answer for the supplier' });
const DIALOGUE: State[] = [
  { name: 'nothing said', at: 'grid', answers: { negotiations: () => ({ items: [] }) }, there: /^Nothing has been said\./ },
  { name: 'a question waits', at: 'grid', there: 'What does the supplier say?' },
  {
    name: 'a part that is too much', at: 'grid', there: /^Watts, less than the .* that are asked for\.$/,
    act: (page) => answering(page).getByLabel('No more than, W').fill('999999'),
  },
  {
    name: 'all that was said is open', at: 'grid', there: /^No: the line to the substation is full/,
    act: async (page) => {
      await page.getByText('What does the supplier say?').waitFor();
      await page.evaluate(`document.querySelectorAll('details > summary').forEach((it) => it.parentElement.open || it.click())`);
    },
  },
  { name: 'many negotiations', at: 'grid', answers: { negotiations }, there: 'Earlier negotiations' },
];

test('agendas and their sources, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, FEEDS)).toEqual({});
});
test('forms that put, correct and withdraw agendas, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, AGENDA)).toEqual({});
});
test('the dialogue with the supplier and what it grants, in each state', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, [...DIALOGUE, ...GRANTS])).toEqual({});
});

test('the pages of sources and negotiations, in each state', { timeout: 600_000 }, async () => {
  const { feeds } = await service.call<FeedsDocument>('GET', 'feeds');
  const source = `grid/sources/${feeds[0]?.id}`;
  const said = 'What was said';
  const states: State[] = [
    { name: 'a source', at: source, there: 'What it said' },
    { name: 'a source that is late', at: source, answers: { feeds: worse }, there: /^The provider did not answer properly/ },
    {
      name: 'a source of no agenda', at: source, there: 'No agenda is made of it.',
      answers: { feeds: (real: FeedsDocument) => ({ ...real, agendas: [], feeds: real.feeds.map((it) => ({ ...it, last_revision: null })) }) },
    },
    { name: 'a source that disagrees', at: source, answers: { feeds: disagreeing, 'agendas/price/agreement': judged }, there: 'Nearest in disagreements' },
    { name: 'nobody knows who was right', at: source, answers: { feeds: disagreeing, 'agendas/price/agreement': unjudged }, there: /^Nothing is known yet/ },
    { name: 'who was right cannot be read', at: source, answers: { feeds: disagreeing, 'agendas/price/agreement': 'fails' }, there: FAILED },
    { name: 'no such source', at: 'grid/sources/nobody', there: /^There is none of this name/ },
    { name: 'a source is read', at: source, answers: { feeds: 'waits' }, there: /^Reading/ },
    { name: 'a source cannot be read', at: source, answers: { feeds: 'fails' }, there: FAILED },
    { name: 'a question', at: `grid/negotiations/${ids.waiting}`, there: 'What does the supplier say?' },
    { name: 'granted', at: `grid/negotiations/${ids.granted}`, there: 'What was granted' },
    { name: 'partly granted', at: `grid/negotiations/${ids.partly}`, there: /^Partly granted/ },
    { name: 'refused', at: `grid/negotiations/${ids.refused}`, there: /^No: the line/ },
    { name: 'no such negotiation', at: 'grid/negotiations/n1', there: /^There is none of this name/ },
    { name: 'many grants', at: `grid/negotiations/${ids.granted}`, answers: { grants }, there: said },
  ];
  const { page } = await visit('', { bypassCSP: true });
  expect(await inspectStates(page, service.url, states)).toEqual({});
});
