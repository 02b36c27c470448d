import { afterEach, expect, test, vi } from 'vitest';

import type { AgendaStatusDocument, AgreementDocument, DisagreementDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { againstWords, areSeveral, disagreementWords, disagreementsOf, judgedWords, recordRows, sinceWords, valueWords } from './agreement';

const clock = { now: Date.parse('2026-03-01T12:00:00Z'), zone: 'UTC' };
const disagreement = (more: Partial<DisagreementDocument> = {}): DisagreementDocument => ({
  start: '2026-03-02T17:00:00Z', end: '2026-03-02T19:00:00Z', apart_s: 5400, sources: ['entsoe-fr', 'charts-fr'],
  widest_start: '2026-03-02T18:00:00Z', widest_end: '2026-03-02T18:15:00Z',
  values: [{ source: 'entsoe-fr', value: 81.2 }, { source: 'charts-fr', value: 95.04 }],
  taken: { source: 'entsoe-fr', value: 81.2 }, ...more,
});
const agenda = (more: Partial<AgendaStatusDocument> = {}): AgendaStatusDocument => ({
  quantity: 'price', chain: ['api', 'entsoe-fr', 'charts-fr'], refuse_estimates: false, take: 'order', gaps: [],
  disagreeing_since: '2026-03-01T11:58:03Z', disagreements: [disagreement()], ...more,
});
const words = (of: Partial<AgendaStatusDocument>, it: Partial<DisagreementDocument> = {}) =>
  disagreementWords(agenda(of), disagreement(it), 'EUR/MWh', clock);

afterEach(() => vi.unstubAllGlobals());

test('a disagreement is told with its sources, hours and values, and what is taken', () => {
  expect(words({})).toBe(
    'entsoe-fr and charts-fr disagree on the price tomorrow 17:00 to 19:00, for 1 h 30 min of it. ' +
      'They are furthest apart tomorrow 18:00 to 18:15: entsoe-fr says 81.2 EUR/MWh and charts-fr says 95.04 EUR/MWh. ' +
      'The difference is 13.84 EUR/MWh. The agenda takes 81.2 EUR/MWh from entsoe-fr, the first fresh source in the order of the settings.',
  );
  expect(words({}, { apart_s: 7200 })).toMatch(/^entsoe-fr and charts-fr disagree on the price tomorrow 17:00 to 19:00\. They/);
  expect(sinceWords(agenda(), clock)).toBe('This was found today 11:58.');
  expect(sinceWords(agenda({ disagreeing_since: null }), clock)).toBe('');
});

test('values are in the units of their quantities', () => {
  expect(valueWords('price', 81.2, 'EUR/MWh')).toBe('81.2 EUR/MWh');
  expect(valueWords('price', 81.2, '')).toBe('81.2');
  expect(valueWords('co2', 240, 'EUR/MWh')).toBe('240 g/kWh');
  expect(valueWords('power_cap', 9000, 'W')).toBe('9 kW');
  const values = [{ source: 'site', value: 9000 }, { source: 'grid', value: 8000 }];
  expect(words({ quantity: 'power_cap' }, { values, taken: values[1] ?? null })).toMatch(
    /disagree on the power cap .*: site says 9 kW and grid says 8 kW\. The difference is 1 kW\. The agenda takes 8 kW from grid, /,
  );
});

test('the rule by which a value is taken is told', () => {
  const values = ['a', 'b', 'c'].map((source, index) => ({ source, value: 100 + 20 * index }));
  const taken = { source: 'b', value: 120 };
  const median: Partial<AgendaStatusDocument> = { quantity: 'co2', take: 'median' };
  expect(words(median, { sources: ['a', 'b', 'c'], values, taken })).toMatch(
    /^a, b and c disagree on the CO₂ intensity .* The agenda takes 120 g\/kWh from b, the median\.$/,
  );
  // A third that is not compared yet may have decided.
  const either = / from a: by the median where three sources have a value, else by the order of the settings\.$/;
  expect(words(median, { values: values.slice(0, 2), taken: { source: 'a', value: 100 } })).toMatch(either);
  const unknown = [...values.slice(0, 2), { source: 'c', value: null }];
  expect(words(median, { values: unknown, taken: { source: 'a', value: 100 } })).toMatch(either);
  expect(words({}, { taken: { source: '', value: 70 } })).toMatch(/The agenda takes 70 EUR\/MWh, an estimate of this site\.$/);
  expect(words({}, { taken: null })).toMatch(/The agenda has no value there\.$/);
  expect(words({}, { values: [] })).not.toContain('furthest');
});

test('no difference is told of CO₂, which is compared after usual ratios', () => {
  const told = words({ quantity: 'co2' }, { values: [{ source: 'a', value: 100 }, { source: 'b', value: 240 }], taken: { source: 'a', value: 100 } });
  expect(told).toContain(
    ': a says 100 g/kWh and b says 240 g/kWh. Usual ratios between sources are allowed for, where the site wants that. The agenda takes 100 g/kWh from a,',
  );
  expect(told).not.toContain('difference');
  expect(words({ quantity: 'co2' }, { values: [] })).not.toContain('ratios');
  expect(words({})).not.toContain('ratios');
});

test('what is over stands behind what is not', () => {
  const over = disagreement({ start: '2026-03-01T08:00:00Z', end: '2026-03-01T12:00:00Z', sources: ['entsoe-fr', 'third'] });
  const both = agenda({ disagreements: [over, disagreement()] });
  expect(disagreementsOf(both, clock.now)).toEqual([disagreement(), over]);
  expect(againstWords('charts-fr', [both], clock)).toBe('It disagrees with entsoe-fr, tomorrow 17:00 to 19:00.');
  expect(againstWords('entsoe-fr', [both], clock)).toBe('It disagrees with charts-fr, tomorrow 17:00 to 19:00.');
  expect(againstWords('third', [both], clock)).toBe('It disagrees with entsoe-fr, today 08:00 to 12:00.');
  // Those that were compared need not all lie apart.
  const three = agenda({ disagreements: [disagreement({ sources: ['entsoe-fr', 'charts-fr', 'third'] }), over] });
  expect(againstWords('charts-fr', [three], clock)).toBe('This source, entsoe-fr and third do not all agree, tomorrow 17:00 to 19:00.');
  expect(againstWords('other', [both], clock)).toBe('');
});

test('sources are compared where there are several; what is put is none', () => {
  const sources = ['entsoe-fr', 'charts-fr', 'caps'];
  expect(areSeveral(agenda(), sources)).toBe(true);
  expect(areSeveral(agenda({ chain: ['api', 'entsoe-fr'] }), sources)).toBe(false);
});

const record = { judged_s: 18_000, referee_s: 0, bias: -6, mae: 6, disagreements: 3, nearest: 2, mae_apart: 4.5, usual_ratio: 1.3 };
const report = (more: Partial<AgreementDocument> = {}): AgreementDocument => ({
  quantity: 'co2', unit: 'g/kWh', from: '2026-02-22T12:00:00Z', to: '2026-03-01T12:00:00Z', judged_s: 18_000, disagreements: 3, apart_s: 7200,
  sources: [
    { source: 'a', ...record, bias: 30, mae: 30, nearest: 1, referee_s: 3600, usual_ratio: 1 },
    { source: 'b', ...record },
    { source: 'c', judged_s: 0, referee_s: 0, disagreements: 0, nearest: 0, bias: null, mae: null, mae_apart: null, usual_ratio: null },
  ],
  ...more,
});

test('who was right is a table by source', () => {
  const [a, b, c] = recordRows(report());
  expect(a).toEqual({
    source: 'a', judged: '5 h', itself: 'its own measurements: 1 h', error: '30 g/kWh', bias: '+30 g/kWh', nearest: '1 of 3 (33 %)', apart: '4.5 g/kWh', ratio: '1',
  });
  expect([b?.itself, b?.bias, b?.nearest, b?.ratio]).toEqual(['', '−6 g/kWh', '2 of 3 (67 %)', '1.3']);
  expect(c && Object.values(c)).toEqual(['c', '–', '', '–', '–', '–', '–', '–']);
  expect(recordRows(report({ quantity: 'power_cap', unit: 'W' }))[0]?.bias).toBe('+30 W');
});

test('how much is known of who was right is said, also where nothing is', () => {
  const during = 'Sun 22 Feb 12:00 to today 12:00';
  expect(judgedWords(report(), clock)).toBe(`It is known what came true of 5 h, ${during}. The sources disagreed 3 times, for 2 h in all.`);
  expect(judgedWords(report({ disagreements: 0, apart_s: 0 }), clock)).toMatch(/ The sources agreed\.$/);
  expect(judgedWords(report({ judged_s: 0 }), clock)).toMatch(/^Nothing is known yet, Sun 22 Feb/);
});

test('it is told in French', async () => {
  vi.stubGlobal('document', { documentElement: { lang: '' } });
  await language.show('fr');
  expect(words({})).toBe(
    'entsoe-fr et charts-fr divergent sur le prix, demain de 17:00 à 19:00, pendant 1 h 30 min de cette période. ' +
      'L’écart est maximal demain de 18:00 à 18:15 : entsoe-fr annonce 81,2 EUR/MWh et charts-fr annonce 95,04 EUR/MWh. Il est de 13,84 EUR/MWh. ' +
      'Le calendrier retient 81,2 EUR/MWh de entsoe-fr, la première source à jour dans l’ordre de la configuration.',
  );
  const values = ['a', 'b'].map((source, index) => ({ source, value: 100 + 20 * index }));
  expect(words({ quantity: 'co2', take: 'median' }, { values, taken: { source: 'a', value: 100 } })).toMatch(
    / : a annonce 100 g\/kWh et b annonce 120 g\/kWh\. Les rapports habituels entre sources sont pris en compte, si le site le veut\. Le calendrier retient 100 g\/kWh de a : par la médiane si trois sources ont une valeur, sinon par l’ordre de la configuration\.$/,
  );
  expect(againstWords('charts-fr', [agenda()], clock)).toBe('Elle diverge de entsoe-fr, demain de 17:00 à 19:00.');
  const three = agenda({ disagreements: [disagreement({ sources: ['entsoe-fr', 'charts-fr', 'third'] })] });
  expect(againstWords('charts-fr', [three], clock)).toBe('Cette source, entsoe-fr et third ne concordent pas toutes, demain de 17:00 à 19:00.');
  expect(recordRows(report())[0]?.nearest).toBe('1 sur 3 (33 %)');
  await language.show('en');
});
