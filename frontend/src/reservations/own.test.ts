// What the page of a reservation says: how it is used, what was promised and came, its power, its history, its connections.

import { describe, expect, it } from 'vitest';

import type { AuditItemDocument, BasisDocument, HeldOffer, LedgerRowDocument, NegotiationDocument, ReportRowDocument, ReservationDocument } from '../api/schema';
import { requestRows } from './requestRows';
import { isAbout, restsOn } from './connections';
import { drawn, nowWords } from './drawnPower';
import { history, momentWords } from './history';
import { compared, differenceWords, knownWords } from './comparison';
import { jobLines } from './jobLines';

const clock = { now: Date.parse('2026-11-21T13:30:00Z'), zone: 'UTC' };
const offer = {
  offer_id: 'o1', start: '2026-11-21T14:00:00Z', end: '2026-11-21T16:00:00Z', node_count: 4, nodes: ['n1'], node_ranges: [[0, 3]],
  energy_j: 7.2e6, cost: 2, co2_g: 400, currency: 'EUR', peak_power_w: 2000, delay_s: 0, saves: { energy_j: 0, cost: 0.5, co2_g: 100 },
} as HeldOffer;
const slurm = {
  reservation: 'wattbook-r1', state: 'in_force', because: null, jobs: [], jobs_count: 0, node_seconds: { reserved: 28_800, used: 0 },
};
const reservation = {
  id: 'r1', owner: 'ada', state: 'confirmed', priority: 0, created_at: '2026-11-21T12:00:00Z', expires_at: '2026-11-21T12:10:00Z',
  chosen_offer_id: 'o1', start: offer.start, end: offer.end, offers: [offer], basis: [], slurm,
  request: { nodes: 4, duration_s: 7200, earliest_start: '2026-11-21T12:00:00Z', latest_start: '2026-11-21T20:00:00Z', partition: 'batch' },
} as unknown as ReservationDocument;

describe('how it is used', () => {
  it('is told by lines whose limit ends a minute before it', () => {
    const options = '--reservation=wattbook-r1 --partition=batch --nodes=4 --time=1:59:00';
    expect(jobLines(reservation, clock.now)).toEqual({ batch: `sbatch ${options} job.sh`, command: `srun ${options} ./program`, limit: 119 * 60_000 });
  });
  it('depends on how much is left of it', () => {
    expect(jobLines({ ...reservation, state: 'active' }, Date.parse('2026-11-21T15:00:30Z'))?.batch).toContain('--time=0:58:00');
    expect(jobLines({ ...reservation, state: 'active' }, Date.parse('2026-11-21T15:58:30Z'))).toBeNull();
  });
  it('is not told where no job can run in it', () => {
    expect(jobLines({ ...reservation, slurm: null }, clock.now)).toBeNull();
    expect(jobLines({ ...reservation, slurm: { ...slurm, state: 'lost' } }, clock.now)).toBeNull();
    expect(jobLines({ ...reservation, state: 'completed' }, clock.now)).toBeNull();
    expect(jobLines({ ...reservation, chosen_offer_id: null }, clock.now)).toBeNull();
  });
});

describe('what was promised and what came', () => {
  const came = {
    energy_j: 6.48e6, measured_share: 1, cost: 2.004, co2_location_kg: 0.5, measured_saving_cost: 0.25, measured_saving_co2_kg: null,
  } as ReportRowDocument;
  it('differ by more, less or nothing that matters', () => {
    expect(differenceWords(10, 12, (it) => `${it} W`)).toBe('2 W more (20 %)');
    expect(differenceWords(10, 9, (it) => `${it} W`)).toBe('1 W less (10 %)');
    expect(differenceWords(10, 10.04, String)).toBe('as promised');
    expect(differenceWords(0, 3, String)).toBe('3 more');
    expect(differenceWords(10, null, String)).toBe('');
  });
  it('stand beside each other', () => {
    expect(compared(offer, came, true)).toEqual([
      { name: 'Energy', promised: '2 kWh', came: '1.8 kWh', difference: '200 Wh less (10 %)' },
      { name: 'Cost', promised: '2.00 EUR', came: '2.00 EUR', difference: 'as promised' },
      { name: 'CO₂', promised: '400 g', came: '500 g', difference: '100 g more (25 %)' },
      { name: 'Cost saved', promised: '0.50 EUR', came: '0.25 EUR', difference: '0.25 EUR less (50 %)' },
      { name: 'CO₂ saved', promised: '100 g', came: '', difference: '' },
    ]);
  });
  it('tell CO₂ as nobody plans by it where it was promised, and what came where all of it is known', () => {
    const [average, marginal] = [{ accounting: 'average' }, { accounting: 'marginal', factors: 'direct' }];
    const told = (unrated: number, counted = marginal) => {
      const really = { ...came, other_co2_kg: 1.2, other_unrated_j: unrated };
      return compared({ ...offer, other_co2_g: 800 }, really, true, average, { promised: marginal, came: counted })[3];
    };
    const row = { name: 'CO₂, marginal, direct', promised: '800 g' };
    expect(told(0)).toEqual({ ...row, came: '1.2 kg', difference: '400 g more (50 %)' });
    expect(told(1)).toEqual({ ...row, came: '', difference: '' });
    expect(told(0, { ...marginal, factors: 'life-cycle' })).toEqual({ ...row, came: '', difference: '' });
  });
  it('are not compared while a part is missing', () => {
    const rows = compared(offer, came, false);
    expect(rows.map((it) => it.difference)).toEqual(['', '', '', '', '']);
    expect(rows.map((it) => it.came)).toEqual(['1.8 kWh', '2.00 EUR', '500 g', '', '']);
    expect(compared(offer, null, false).map((it) => it.came)).toEqual(['', '', '', '', '']);
  });
  it('say how far they are known, and how much was measured', () => {
    const end = Date.parse(offer.end);
    expect(knownWords(null, null, end, clock)).toMatch(/has nothing of it yet/);
    expect(knownWords(came, '2026-11-21T15:00:00Z', end, clock)).toBe('Stated until today 15:00; all of the energy was measured.');
    expect(knownWords({ ...came, measured_share: 0.4 }, '2026-11-21T17:00:00Z', end, clock)).toBe('By the ledger; 40 % of the energy was measured, the rest is estimated.');
    expect(knownWords({ ...came, measured_share: 0 }, '2026-11-21T17:00:00Z', end, clock)).toBe('By the ledger; nothing was measured: it is estimated.');
  });
});

it('draws the power of hours, of which a part may be its own', () => {
  const row = (hour: string, energy: number, measured: number, other: Partial<LedgerRowDocument> = {}) =>
    ({ hour_start: `2026-11-21T${hour}:00:00Z`, reservation_id: 'r1', energy_j: energy, measured_j: measured, ...other }) as LedgerRowDocument;
  const rows = [
    row('15', 3.6e6, 1e6),
    // Half an hour of it, by two jobs.
    row('14', 1e6, 1e6),
    row('14', 0.8e6, 0.8e6),
    row('14', 9e9, 9e9, { reservation_id: 'r2' }),
    // What is heard late of an hour whose month is closed.
    row('20', -1.8e6, 0, { correction_of: '2026-11-21T15:00:00Z' }),
  ];
  const at = (time: string) => Date.parse(`2026-11-21T${time}:00Z`);
  expect(drawn(rows, 'r1', at('14:30'), at('16:00'))).toEqual({
    steps: [
      { start: at('14:30'), end: at('15:00'), value: 1000 },
      { start: at('15:00'), end: at('16:00'), value: 500 },
    ],
    estimated: [{ start: at('15:00'), end: at('16:00') }],
  });
  expect(drawn([], 'r1', at('14:30'), at('16:00')).steps).toEqual([]);
});

it('says what its nodes draw now', () => {
  const now = { reservation_id: 'r1', owner: 'ada', nodes: 4, measured_nodes: 3, measured_power_w: 450, planned_of_measured_w: 600, planned_power_w: 800, above_plan_since: null };
  expect(nowWords(now)).toBe('Now: 3 of 4 nodes draw 450 W, of 600 W that are planned.');
  expect(nowWords({ ...now, measured_nodes: 4 })).toBe('Now: 4 nodes draw 450 W, of 600 W that are planned.');
  expect(nowWords({ ...now, measured_nodes: 0, measured_power_w: null })).toBe('Now: 800 W are planned; nothing of it is measured.');
});

describe('its history', () => {
  const record = (action: string, at: string, other: Partial<AuditItemDocument> = {}): AuditItemDocument =>
    ({ id: 1, at: `2026-11-21T${at}:00.000001Z`, actor: 'ada', for: '', action, object: 'reservations/r1', outcome: '200', before: null, after: null, ...other }) as AuditItemDocument;
  const lines = (records: AuditItemDocument[], of = reservation) => history(of, records, clock).map((it) => momentWords(it, clock));
  it('follows from the reservation where the trail may not be read', () => {
    expect(lines([])).toEqual(['today 12:00: it was asked for', 'today 14:00: it begins', 'today 16:00: it ends']);
    expect(lines([], { ...reservation, state: 'proposed', chosen_offer_id: null })).toEqual(['today 12:00: it was asked for', 'today 12:10: it was held until then']);
  });
  it('has who did what, and leaves out who read it', () => {
    const records = [
      record('create_reservation', '12:00'),
      record('choose_offer', '12:05', { after: { state: 'confirmed' } as never, before: { state: 'proposed' } as never }),
      record('get_reservation', '12:06', { actor: 'ops', for: 'ada' }),
      record('cancel_reservation', '13:00', { actor: 'bob', for: 'ada', outcome: '403 forbidden' }),
    ];
    const moments = history({ ...reservation, state: 'cancelled' }, records, clock);
    expect(moments.map((it) => momentWords(it, clock))).toEqual([
      'today 12:00: ada asked for it', 'today 12:05: ada chose an offer', 'today 13:00: bob cancelled it for ada',
    ]);
    expect(moments.map((it) => it.detail)).toEqual(['', 'Not chosen yet → Booked', 'not done: 403 forbidden']);
    expect(moments.map((it) => it.isRefused)).toEqual([false, false, true]);
  });
  it('has what an extension and a new owner change', () => {
    const before = { state: 'confirmed', start: '2026-11-21T14:00:00Z', end: '2026-11-21T15:00:00Z' };
    const [extended, given] = history({ ...reservation, state: 'cancelled' }, [
      record('extend_reservation', '12:10', { before: before as never, after: { ...before, end: '2026-11-21T16:00:00Z' } as never }),
      record('transfer_reservation', '12:20', { before: { owner: { person: 'ada' } } as never, after: { owner: { person: 'bob' } } as never }),
    ], clock).slice(1);
    expect(extended?.detail).toBe('today 14:00 to 15:00 → today 14:00 to 16:00');
    expect(given?.detail).toBe('ada → bob');
  });
});

it('says what was asked for, and leaves out what was not said', () => {
  expect(requestRows({ ...reservation, priority: 3 }, 'UTC')).toEqual([
    ['Nodes', '4'], ['For', '2 h'], ['Not before', 'Sat 21 Nov 2026, 12:00:00 (UTC)'], ['Latest start', 'Sat 21 Nov 2026, 20:00:00 (UTC)'],
    ['Partition', 'batch'], ['Priority', '3'],
  ]);
});

it('is what a negotiation about extra power is about', () => {
  const negotiation = (subject: unknown, kind = 'extra_power') => ({ kind, subject }) as NegotiationDocument;
  expect(isAbout(negotiation({ reservations: [{ id: 'r1' }], degraded: [] }), 'r1')).toBe(true);
  expect(isAbout(negotiation({ reservations: [], degraded: ['r1'] }), 'r1')).toBe(true);
  expect(isAbout(negotiation({ reservations: [{ id: 'r2' }], degraded: [] }), 'r1')).toBe(false);
  expect(isAbout(negotiation({ intervals: [] }, 'planned_consumption'), 'r1')).toBe(false);
});

it('rests on what its offer does, each source once', () => {
  const basis = (source: string, received_at: string): BasisDocument =>
    ({ quantity: 'price', source, standing: 'fresh', quality: 'forecast', issued_at: null, received_at });
  const all = [basis('eu', '2026-11-21T10:00:00Z'), basis('eu', '2026-11-21T11:00:00Z'), basis('us', '2026-11-21T10:00:00Z')];
  expect(restsOn({ ...reservation, basis: all }).map((it) => [it.source, it.received_at])).toEqual([
    ['eu', '2026-11-21T11:00:00Z'], ['us', '2026-11-21T10:00:00Z'],
  ]);
  expect(restsOn({ ...reservation, basis: all, offers: [{ ...offer, basis: [2] }] }).map((it) => it.source)).toEqual(['us']);
});
