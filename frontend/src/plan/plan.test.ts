import { expect, test } from 'vitest';

import type { DecisionDocument, OfferDocument, QuoteRequest } from '../api/schema';
import { speedWords } from '../ui/offers';
import { offer } from '../ui/testOffer';
import { learntWords, oneMoreHour, reasonWords, whyNotEarlier } from './explanation';
import { EMPTY, chartSpan, fieldOf, formWords, readForm, stillAsks, type FormValues } from './form';
import { freshness } from './freshness';
import { nearestRequests } from './nearestRequests';

const NOW = Date.parse('2026-11-21T08:00:00.400Z');
const ZONE = 'Europe/Paris';
const READ = { zone: ZONE, slot: 1000 };
const form = (values: Partial<FormValues>) => readForm({ ...EMPTY, ...values }, NOW, READ);

function request(values: Partial<FormValues>): QuoteRequest {
  const reading = form(values);
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  return reading.formRequest.request;
}

test('who cannot wait starts with the next slot', () => {
  const latest = (values: Partial<FormValues>, slot: number) => {
    const reading = readForm({ ...EMPTY, nodes: '4', duration: '2h', wait: '0', ...values }, NOW, { zone: ZONE, slot });
    return reading.ok ? [reading.formRequest.request.earliest_start, reading.formRequest.request.latest_start] : reading.errors;
  };
  expect(latest({}, 1000)).toEqual(['2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z']);
  expect(latest({}, 900_000)).toEqual(['2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z']);
  expect(latest({ earliest: '2026-11-21T09:05' }, 900_000)).toEqual(['2026-11-21T08:05:00Z', '2026-11-21T08:15:00Z']);
});

test('a plain form asks for whole seconds from now on', () => {
  expect(request({})).toEqual({
    nodes: 8,
    duration_s: 7200,
    earliest_start: '2026-11-21T08:00:00Z',
    latest_start: '2026-11-22T08:00:00Z',
  });
});

test('an answer is to the form while it asks for the same, however late it is', () => {
  const reading = form({ until: '2026-11-22T20:00' });
  if (!reading.ok) throw new Error('the form is right');
  const same = { ...EMPTY, until: '2026-11-22T20:00' };
  expect(stillAsks(same, reading.formRequest, READ)).toBe(true);
  // Not asked for by this form: it says how long it may wait.
  expect(stillAsks({ ...same, until: '' }, reading.formRequest, READ)).toBe(true);
  expect(stillAsks({ ...same, nodes: ' 8 ' }, reading.formRequest, READ)).toBe(true);
  for (const change of [{ nodes: '20' }, { nodes: 'many' }, { partition: 'gpu' }, { utilisation: 50 }, { wait: '12' }]) {
    expect(stillAsks({ ...same, ...change }, reading.formRequest, READ)).toBe(false);
  }
});

test('times in the form are wall times of the zone', () => {
  const asked = request({ earliest: '2026-11-22T08:00', wait: 'end', until: '2026-11-22T20:00' });
  expect(asked.earliest_start).toBe('2026-11-22T07:00:00Z');
  expect(asked.latest_end).toBe('2026-11-22T19:00:00Z');
  expect(asked.latest_start).toBeUndefined();
});

test('filters are left out where they are empty and split where they are not', () => {
  const asked = request({ features: 'nvme, big-memory', exclude: 'n7 n9', only: 'n1, n2', partition: ' gpu ', tolerance: '2,5' });
  expect(asked.features).toEqual(['nvme', 'big-memory']);
  expect(asked.exclude).toEqual(['n7', 'n9']);
  expect(asked.only).toEqual(['n1', 'n2']);
  expect(asked.partition).toBe('gpu');
  expect(asked.tolerance).toEqual({ cost: 0.025 });
});

test('an application is a label, and its utilisation is left to earlier runs', () => {
  expect(request({ application: ' nemo ' }).labels).toEqual({ application: 'nemo' });
  expect(request({ application: 'nemo' }).utilisation).toBeUndefined();
  expect(request({}).labels).toBeUndefined();
  const learnt = { application: 'nemo', utilisation: 0.615, spread: 0.01, runs: 4 };
  expect(learntWords(learnt)).toBe('Expected with a utilisation of 61.5 %, as 4 earlier runs of nemo had it.');
});

test('a request is for a project where the form names one', () => {
  expect(request({ project: ' ocean ' }).project).toBe('ocean');
  expect(request({}).project).toBeUndefined();
  expect(fieldOf('/project')).toBe('project');
});

test('a request may run slower, and offers tell what that costs in time', () => {
  expect(request({ slowest: 75 }).slowest_speed).toBe(0.75);
  expect(request({}).slowest_speed).toBeUndefined();
  expect(fieldOf('/slowest_speed')).toBe('slowest');
  expect(speedWords(offer({ power_state: 'p1', speed: 0.8, later_s: 900 }))).toBe(
    'At 80 % of full speed (p1): ends 15 min later',
  );
  expect(speedWords(offer({}))).toBe('');
});

test('every wrong field is told at once', () => {
  const reading = form({ nodes: 'many', duration: 'soon', wait: 'start', until: '', tolerance: '200' });
  expect(reading.ok).toBe(false);
  if (!reading.ok) {
    expect(Object.keys(reading.errors).sort()).toEqual(['duration', 'nodes', 'tolerance', 'until']);
  }
});

test('a deadline that leaves no time is refused before asking', () => {
  const reading = form({ wait: 'end', until: '2026-11-21T10:00' });
  // 10:00 in Paris is 09:00Z; two hours before that is 07:00Z, an hour ago.
  expect(reading.ok ? {} : reading.errors.until).toMatch(/Too early/);
});

test('a start that has passed while the form was open means now, and an older one is a mistake', () => {
  // 08:30 in Paris is 07:30Z, half an hour ago.
  expect(request({ earliest: '2026-11-21T08:30' }).earliest_start).toBe('2026-11-21T08:00:00Z');
  for (const earliest of ['2026-11-20T08:00', '2020-01-01T00:00']) {
    const reading = form({ earliest });
    expect(reading.ok ? '' : reading.errors.earliest).toMatch(/^That has passed/);
  }
});

test('the chart is about the window, also where that is days off', () => {
  const spanOf = (values: Partial<FormValues>) => {
    const reading = form(values);
    if (!reading.ok) throw new Error('the form is right');
    const { from, to } = chartSpan(reading.formRequest, NOW);
    return { share: (reading.formRequest.latest - reading.formRequest.earliest) / (to - from), from };
  };
  expect(spanOf({}).from).toBe(Date.parse('2026-11-21T08:00:00Z'));
  expect(spanOf({ earliest: '2026-12-03T12:00' }).share).toBeGreaterThan(0.6);
  expect(spanOf({ earliest: '2026-11-21T12:00' }).from).toBe(Date.parse('2026-11-21T08:00:00Z'));
});

test('what the form asks for stands in a line', () => {
  expect(formWords({ ...EMPTY, nodes: '1', duration: '2h', application: 'hpl' })).toBe('1 node for 2h, within 24 hours, hpl');
  expect(formWords({ ...EMPTY, wait: '0', earliest: '2026-11-22T08:00' }, true)).toBe('8 nodes for 2h, from 2026-11-22 08:00, at once, again and again');
});

test('errors of the service find their field', () => {
  expect(fieldOf('/features/0')).toBe('features');
  expect(fieldOf('/duration_s')).toBe('duration');
  expect(fieldOf('')).toBeNull();
});

const impossible: DecisionDocument = {
  decision: 'impossible', candidate_starts: 96, reasons: [], offers: [], pareto: [],
};
const optimum: DecisionDocument = {
  decision: 'optimum', candidate_starts: 96, reasons: [], pareto: [], offers: [offer({})],
  as_soon_as_possible: offer({ start: '2026-11-22T02:30:00Z', end: '2026-11-22T04:30:00Z' }),
};

test('the nearest possible changes are found by asking', async () => {
  // 30 nodes are free for at most 4 h, and 50 from 02:30 on the next day.
  const asked: QuoteRequest[] = [];
  const ask = async (it: QuoteRequest) => {
    asked.push(it);
    const fits = (it.nodes ?? 0) <= 30 || (it.latest_start ?? '') >= '2026-11-22T02:30:00Z' || Number(it.duration_s) <= 4500;
    return fits ? optimum : impossible;
  };
  const changes = await nearestRequests(
    { nodes: 50, duration_s: 7200, earliest_start: '2026-11-21T08:00:00Z', latest_start: '2026-11-21T12:00:00Z' },
    ask,
  );
  expect(changes.map((change) => change.kind)).toEqual(['fewer', 'later', 'shorter']);
  expect(changes[0]?.request.nodes).toBe(30);
  expect(changes[1]?.request.latest_start).toBe('2026-11-22T03:00:00Z');
  expect(changes[2]?.request.duration_s).toBe(4500);
  expect(asked.length).toBeLessThan(20);
});

test('what does not help is not offered', async () => {
  expect(await nearestRequests({ nodes: 9, duration_s: 7200, earliest_start: '2026-11-21T08:00:00Z' }, async () => impossible)).toEqual([]);
});

test('reasons say how much is missing, and when, in the zone looked at', () => {
  const words = reasonWords(
    {
      code: 'nodes', excluded_starts: 96, detail: '',
      binding: { at_start: '2026-11-21T15:00:00Z', start: '2026-11-21T15:00:00Z', end: '2026-11-21T17:00:00Z', missing_nodes: 6 },
    },
    { now: NOW, zone: ZONE },
  );
  expect(words).toBe('Not enough free nodes at 96 starts. Where it came closest, 6 nodes were missing, today 16:00 to 18:00.');
});

test('where the time asked for has no slot, the slots beside it are said', () => {
  const words = (slot_before?: string) => reasonWords(
    {
      code: 'no_slot', excluded_starts: 0, detail: '',
      binding: {
        at_start: '2026-11-21T15:05:00Z', start: '2026-11-21T15:00:00Z', end: '2026-11-21T15:15:00Z', slot_s: 900,
        ...(slot_before === undefined ? {} : { slot_before }), slot_after: '2026-11-21T15:15:00Z',
      },
    },
    { now: NOW, zone: ZONE },
  );
  const every = 'Reservations start every 15 min, and no such start lies in the time asked for.';
  expect(words('2026-11-21T15:00:00Z')).toBe(`${every} The nearest are today 16:00 and today 16:15.`);
  expect(words()).toBe(`${every} The next is today 16:15.`);
});

test('waiting is explained by what starting at once would take', () => {
  const decision: DecisionDocument = {
    ...optimum,
    as_soon_as_possible: offer({}),
    offers: [offer({ start: '2026-11-22T01:00:00Z', cost: 0.31, saves: { energy_j: 0, cost: 0.19, co2_g: 46 } })],
    explanation: { rankings: [{ ranking: 'cost_co2_energy', best: offer({ cost: 0.31 }), one_more_hour_saves: { energy_j: 0, cost: 0.02, co2_g: 0 } }] },
  };
  expect(whyNotEarlier(decision, Date.parse('2026-11-21T08:05:00Z'), { now: NOW, zone: ZONE })).toEqual([
    'A waits 16 h 45 min: starting today 09:15 would take 0.19 EUR more and 46 g CO₂ more.',
  ]);
  expect(oneMoreHour(decision)).toEqual(['An hour more of waiting would make the cheapest 0.02 EUR cheaper.']);
});

test('an offer tells how old its data is, and what of it is doubtful', () => {
  const told = { quality: 'measured', issued_at: null };
  const basis = [
    { ...told, quantity: 'price', source: 'entsoe-fr', standing: 'fresh', received_at: '2026-11-21T07:48:00Z' },
    { ...told, quantity: 'co2', source: 'eco2mix', standing: 'fresh', received_at: '2026-11-21T07:00:00Z' },
    { ...told, quantity: 'co2', source: '', standing: 'forecast', quality: 'estimated', received_at: null },
  ];
  const words = (values: Partial<OfferDocument>) =>
    freshness(offer(values), basis, Date.parse('2026-11-21T08:00:00Z'), 'UTC').map((it) => it.words);
  expect(words({ basis: [0, 1] })).toEqual(['price 12 min old', 'CO₂ 1 h old']);
  expect(words({})).toEqual(['price 12 min old', 'CO₂: a forecast of this site']);
});
