// What is offered for a request, and why not more, in each of its states: nothing lies over anything else, and everybody can use it.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { AgendaDocument, BasisDocument, OfferDocument, SiteDocument, StandingDocument } from '../src/api/schema';
import { CHEAPEST, FRUGAL, GOOD, LONG, REASONS, SOONEST, changed, choice, impossible, offer, only, range, reason } from './decisions';
import { askForm, day, lower } from './peak';
import { FAILED, fail, inspectStates, type State } from './states';
import { hours, tour } from './tour';

const { service, visit } = tour({
  prepare: async (service) => {
    await service.cancelAll();
    await lower(service, day(12), day(13));
  },
});

const nodes = (page: Page) => page.getByLabel('Nodes', { exact: true });
/** Once offers are there, quotes fail or do not come, and the form asks for something else, or for that and then for the same again. */
const asked = (how: 'fails' | 'waits', isSame = false) => async (page: Page): Promise<void> => {
  await page.getByText('What is best at one thing').waitFor();
  await page.route('**/api/v1/quotes', (route) => (how === 'fails' ? fail(route) : undefined));
  await nodes(page).fill('9');
  if (!isSame) return;
  if (how === 'fails') await page.getByText(FAILED).first().waitFor();
  await nodes(page).fill('8');
};
/** What nothing that is measured here is as large as. */
const huge = (one: OfferDocument, index: number): Partial<OfferDocument> => ({
  node_count: 104_000, cost: one.cost * 1e8, co2_g: one.co2_g * 1e7, energy_j: one.energy_j * 1e8, peak_power_w: 1.234e9, currency: 'HUF',
  saves: { cost: one.saves.cost * 1e8 * (index % 2 ? -1 : 1), co2_g: one.saves.co2_g * 1e7, energy_j: one.saves.energy_j * 1e8 },
});
const everything = (one: OfferDocument, index: number): Partial<OfferDocument> => ({
  extra_power_fee: 1234.56, speed: 0.5, power_state: LONG, later_s: 7200, standing: { factor: 0.51234, factor_after: 0.49876, uses: 1.2 },
  cost_low: one.cost * 0.8, cost_high: one.cost * 1.2, co2_low_g: one.co2_g * 0.7, co2_high_g: one.co2_g * 1.4, basis: index % 2 ? [0, 1] : null,
});
const EIGHT = range(8, (index) => offer(2 + index, { cost: 1 - index / 20, co2_g: 300 - index, rankings: index % 2 ? ['cost_co2_energy'] : ['co2_cost_energy'] }));
const doubtful: BasisDocument[] = [
  { quantity: 'price', source: 'the-exchange-of-the-day-ahead', standing: 'last_good', quality: 'measured', received_at: hours(-40) },
  { quantity: 'co2', source: '', standing: 'forecast', quality: 'estimated' },
  { quantity: 'power_cap', source: 'operator', standing: 'safe_mode', quality: 'measured', issued_at: hours(-400) },
];
const standing = (parent: string, advised = 4): StandingDocument => ({
  account: 'ada', counts: 'energy', factor: 0.5123, parent,
  advice: range(advised, (index) => ({
    code: `wait-${index}`, offer: index === 3 ? 99 : index, detail: `offer ${index} uses least of the share; from ${hours(30)} on your factor is 0.${600 + index}`,
  })),
});
const WHY = choice({
  offers: [SOONEST, CHEAPEST, GOOD], reasons: REASONS, as_soon_as_possible: SOONEST,
  explanation: {
    rankings: ['cost_co2_energy', 'co2_cost_energy'].map((ranking) => ({
      ranking, best: { ...CHEAPEST, rankings: [] }, one_more_hour_saves: { cost: 0.2, co2_g: 90, energy_j: 0 },
    })),
  },
});
const LEARNT = { application: LONG, runs: 12, spread: 0.02, utilisation: 0.634 };

const others = 'What is best at one thing';
const OFFERS: State[] = [
  { name: 'the first answer is worked out', at: 'plan', answers: { quotes: 'waits' }, there: 'Working out when to start …' },
  { name: 'there is no first answer', at: 'plan', answers: { quotes: 'fails' }, there: FAILED },
  { name: 'a choice', at: 'plan', answers: { quotes: choice() }, there: others },
  { name: 'as the demonstration answers', at: 'plan?nodes=3', there: 'Cost against CO₂' },
  { name: 'as the demonstration answers for a week', at: 'plan?nodes=12&wait=168', there: 'Cost against CO₂' },
  { name: 'one start is best, at once', at: 'plan', answers: { quotes: only(SOONEST) }, there: 'It is best in everything' },
  { name: 'one start is best, another is recommended', at: 'plan', answers: { quotes: only(CHEAPEST, SOONEST, FRUGAL) }, there: /^Waiting 2 h 5\d min saves/ },
  { name: 'one start is best, later', at: 'plan', answers: { quotes: only(CHEAPEST, SOONEST) }, there: 'Now, or as soon as it goes' },
  { name: 'nothing is recommended', at: 'plan', answers: { quotes: choice({ compromise: null }) }, there: 'As soon as possible' },
  { name: 'nothing is gained by waiting', at: 'plan', answers: { quotes: choice({ compromise: SOONEST }) }, there: /^Nothing is gained by waiting/ },
  { name: 'eight offers', at: 'plan', answers: { quotes: choice({ offers: EIGHT.slice(1), compromise: EIGHT[0] ?? null }) }, there: 'Book H' },
  { name: 'huge numbers', at: 'plan', answers: { quotes: changed(huge) }, there: '104,000 nodes' },
  {
    name: 'tiny and negative numbers', at: 'plan', there: /−0\.0000\d+ EUR/,
    answers: { quotes: changed((one) => ({ cost: -one.cost / 1e5, co2_g: one.co2_g / 1e4, energy_j: one.energy_j / 1e5, saves: { cost: 1e-5, co2_g: -0.01, energy_j: 0 } })) },
  },
  { name: 'everything that is told of an offer', at: 'plan', answers: { quotes: changed(everything) }, there: 'Dashed: it rests on estimates.' },
  {
    name: 'a picked start that cannot be booked alone', at: 'plan', answers: { quotes: changed(everything) }, there: /^This start runs slower and wins no ranking/,
    act: (page) => page.getByRole('slider').fill('3'),
  },
  { name: 'doubtful data', at: 'plan', answers: { quotes: choice({ basis: doubtful }) }, there: 'price: the last known' },
  { name: 'no data is told of', at: 'plan', answers: { quotes: choice({ basis: [] }) }, there: others },
  { name: 'one’s standing', at: 'plan', answers: { quotes: choice({ standing: standing('', 0) }) }, there: 'It is 0.512 of 1 now. Whoever' },
  { name: 'one’s standing in an account', at: 'plan', answers: { quotes: choice({ standing: standing(LONG) }) }, there: `now in ${LONG}` },
  { name: 'a learnt utilisation', at: 'plan', answers: { quotes: choice({ learnt_utilisation: LEARNT }) }, there: /^Expected with a utilisation of 63.4 %/ },
  { name: 'every reason not to be earlier', at: 'plan', answers: { quotes: WHY }, there: /^An hour more of waiting would save/ },
  {
    name: 'nothing can start early', at: 'plan', there: /^Nothing can start before/,
    answers: { quotes: choice({ as_soon_as_possible: GOOD, offers: [GOOD, CHEAPEST], compromise: GOOD, pareto: [GOOD, CHEAPEST], reasons: REASONS }) },
  },
  { name: 'asked anew', at: 'plan', answers: { quotes: choice() }, act: asked('waits'), there: 'Working out what the form says now …' },
  { name: 'the same is asked once more', at: 'plan', answers: { quotes: choice() }, act: asked('waits', true), there: 'Working it out …' },
  { name: 'asked anew in vain', at: 'plan', answers: { quotes: choice() }, act: asked('fails'), there: 'The service has not answered what the form says now.' },
  { name: 'asked once more in vain', at: 'plan', answers: { quotes: choice() }, act: asked('fails', true), there: 'The service did not answer when it was asked last.' },
  { name: 'the form is wrong', at: 'plan', answers: { quotes: choice() }, act: async (page) => {
    await page.getByText(others).waitFor();
    await nodes(page).fill('many');
  }, there: 'Mend what is wrong in the form, then book.' },
  {
    name: 'the service is out of reach', at: 'plan', answers: { quotes: choice() }, there: 'The service is out of reach: nothing can be booked.',
    act: async (page) => {
      await page.getByText(others).waitFor();
      await page.route('**/api/**', (route) => route.abort());
      await page.evaluate(`dispatchEvent(new Event('online')); document.dispatchEvent(new Event('visibilitychange'))`);
    },
  },
];

const estimated = (real: AgendaDocument): AgendaDocument => ({
  ...real, provenance: real.provenance.map((it) => ({ ...it, source: '', quality: 'estimated', standing: 'forecast' })),
});
const nothing = (real: AgendaDocument): AgendaDocument => ({ ...real, pieces: [], provenance: [] });
const dear = (real: AgendaDocument): AgendaDocument => ({
  ...real, unit: 'HUF/MWh', pieces: real.pieces.map((it) => ('price_per_mwh' in it ? { ...it, price_per_mwh: 123_456.78 * it.price_per_mwh } : it)) as typeof real.pieces,
});
const inForints = { site: (real: SiteDocument) => ({ ...real, currency: 'HUF' }), 'agendas/price': dear, quotes: changed(huge) };
const agendas = (each: typeof nothing) => ({ 'agendas/price': each, 'agendas/co2': each, 'agendas/power-cap': each });
const pointed = (page: Page) => page.getByRole('img', { name: /^Price, CO₂ intensity and power cap/ }).press('ArrowRight');
/** Goes by the keyboard to the start of a chart that is the most to the right, whose tip opens. */
const told = (chart: string) => async (page: Page): Promise<void> => {
  const starts = page.getByRole('region', { name: chart }).getByRole('radio');
  await starts.last().waitFor({ state: 'attached' });
  await starts.first().focus();
  await starts.last().focus();
  await page.locator('.tip').waitFor();
};
const withChoice = (more: State['answers'] = {}) => ({ quotes: choice(), ...more });
const CHARTS: State[] = [
  { name: 'agendas are read', at: 'plan', answers: withChoice({ 'agendas/price': 'waits' }), act: pointed, again: pointed, there: /being read …$/ },
  { name: 'agendas cannot be read', at: 'plan', answers: withChoice({ 'agendas/co2': 'fails' }), there: FAILED },
  { name: 'nothing is known', at: 'plan', answers: withChoice({ ...agendas(nothing), 'power-profile': () => ({ steps: [] }) }), act: pointed, again: pointed, there: /price unknown · CO₂ unknown · cap unknown$/ },
  { name: 'estimates', at: 'plan', answers: withChoice(agendas(estimated)), act: pointed, again: pointed, there: /\(estimated\), .* reserved/ },
  { name: 'prices in forints', at: 'plan', answers: inForints, act: pointed, again: pointed, there: /HUF\/MWh · / },
  { name: 'a start is pointed at over time', at: 'plan', answers: { quotes: choice() }, act: told('Over time'), again: told('Over time'), there: /for 2 h$/ },
  { name: 'a start is pointed at in cost against CO₂', at: 'plan', answers: { quotes: choice() }, act: told('Cost against CO₂'), again: told('Cost against CO₂'), there: /for 2 h$/ },
  { name: 'a window far ahead', at: `plan?after=${day(20, 6)}&wait=6`, there: 'Cost against CO₂' },
  { name: 'a window of a month', at: `plan?wait=start&until=${day(30, 6)}&for=30min`, there: 'Point at a time' },
];

const fits = 'What would fit';
const limit = (page: Page) => page.getByLabel(/^It may cost/);
const IMPOSSIBLE: State[] = [
  { name: 'more nodes than there are', at: 'plan?nodes=60', act: (page) => page.getByText('Each was asked for').waitFor(), there: /^60 nodes are more than there are/ },
  { name: 'other shapes, too many nodes each', at: 'plan?nodes=60&or=70+1h;80+30min', act: (page) => page.getByText('Each was asked for').waitFor(), there: 'nodes short of 60' },
  {
    name: 'what would fit is looked for', at: 'plan', answers: { quotes: impossible(REASONS.slice(2, 3)) }, there: 'Looking for the nearest requests that fit …',
    act: async (page) => {
      await page.getByText(fits).waitFor();
      await page.route('**/api/v1/quotes', (route) => ((route.request().postDataJSON() as { explain?: boolean }).explain ? route.fallback() : undefined));
      await nodes(page).fill('12');
    },
  },
  { name: 'everything is in the way', at: 'plan', answers: { quotes: impossible(REASONS) }, there: /^Plan for .*, the next start that the quotas allow$/ },
  { name: 'nothing helps', at: 'plan', answers: { quotes: impossible(REASONS.slice(0, 1)) }, there: /^Neither fewer nodes nor a later start/ },
  { name: 'no start is left', at: 'plan', answers: { quotes: impossible([]) }, there: 'No start is left in this window.' },
  ...(['price', 'co2', 'power_cap', 'water'] as const).map((it): State => ({
    name: `nothing is known of ${it}`, at: 'plan', answers: { quotes: impossible([reason('agenda_gap', { missing_agenda: it })]) }, there: /^(No .*|Something) is (known|unknown) for 97 starts/,
  })),
  { name: 'a slot later', at: 'plan', answers: { quotes: impossible([reason('no_slot', { slot_s: 86_400, slot_after: hours(20) })]) }, there: /^Reservations start every 1 d/ },
  { name: 'a reason of another kind', at: 'plan', answers: { quotes: impossible([reason('license', {}, 'all licences are taken until the end of the month')]) }, there: 'all licences are taken' },
  ...[0.5, 12, 23].map((at): State => ({
    name: `power is short ${at} hours ahead`, at: 'plan', there: /short of/,
    answers: { quotes: impossible([reason('power_cap', { at_start: hours(at), start: hours(at), end: hours(at + 1), missing_power_w: 123_456 })]) },
  })),
  { name: 'the supplier may be asked', at: 'plan', act: (page) => askForm(page, 12), there: 'Or with more power' },
  {
    name: 'a wrong limit', at: 'plan', there: 'An amount, or nothing.',
    act: async (page) => {
      await askForm(page, 12);
      await limit(page).fill('much');
    },
  },
  {
    name: 'the supplier is not asked', at: 'plan', there: /^The supplier is not asked: /,
    act: async (page) => {
      await askForm(page, 12);
      await page.getByRole('button', { name: 'Ask the supplier for more power' }).click();
    },
  },
];

const GROUPS: Record<string, State[]> = { 'what is offered': OFFERS, 'charts of offers': CHARTS, 'what does not fit': IMPOSSIBLE };
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 900_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states)).toEqual({});
  });
}

test('what is offered, where clocks are others', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true });
  await page.getByLabel('Time zone').selectOption('America/Argentina/Buenos_Aires');
  const at = 'empty: now (America/Argentina/Buenos_Aires)';
  const states: State[] = [
    { name: 'a choice', at: 'plan', answers: { quotes: choice() }, there: at },
    { name: 'nothing fits', at: 'plan', answers: { quotes: impossible(REASONS) }, there: at },
  ];
  expect(await inspectStates(page, service.url, states)).toEqual({});
});

test('what is offered, in French', { timeout: 600_000 }, async () => {
  const { page } = await visit('', { bypassCSP: true, locale: 'fr-FR' });
  const states: State[] = [
    { name: 'everything that is told of an offer', at: 'plan', answers: { quotes: changed(everything) }, there: LONG },
    { name: 'huge numbers', at: 'plan', answers: { quotes: changed(huge) }, there: /104.000 nœuds/ },
    { name: 'every reason not to be earlier', at: 'plan', answers: { quotes: WHY }, there: /^Une heure d’attente de plus épargnerait/ },
    { name: 'everything is in the way', at: 'plan', answers: { quotes: impossible(REASONS) }, there: LONG },
  ];
  expect(await inspectStates(page, service.url, states)).toEqual({});
});
