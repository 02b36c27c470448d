import { expect, test } from 'vitest';

import type { NegotiationDocument, PowerActionDocument, PowerDocument, PowerProfileDocument, ReservationDocument, ScheduleItem } from '../api/schema';
import { figures, waits, waitWords, type Seen } from './summary';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: NOW, zone: 'UTC' };
const names = ['slurm', 'feeds', 'power', 'profile', 'book', 'negotiations', 'undecided', 'managed', 'actions', 'switched', 'report'];
/** What was read; all else may not be read. */
const seen = (read: Record<string, unknown>): Seen => Object.fromEntries(names.map((name) => [name, { data: read[name] ?? null }])) as unknown as Seen;
const figure = (read: Record<string, unknown>, name: string) => figures(seen(read), clock).find((it) => it.name === name);

test('what may not be read has no figure', () => {
  expect(figures(seen({}), clock)).toEqual([{ name: 'waits', value: '0', words: 'nothing waits' }]);
});

const step = { start: '2026-03-01T11:00:00Z', end: '2026-03-01T13:00:00Z', reserved_power_w: 3000, confirmed_power_w: 2000, cap_w: 4000 };

test('the cap is told with what is left of it, by the profile where power now may not be read', () => {
  const profile = { steps: [step] } as unknown as PowerProfileDocument;
  const power = { reserved_power_w: 5000, cap_w: 4000, site_power_w: 1700, cluster: {} } as unknown as PowerDocument;
  expect(figure({ profile }, 'cap')).toMatchObject({ value: '3 kW of 4 kW', words: 'reserved of the cap, 25 % left' });
  expect(figure({ profile, power }, 'cap')).toMatchObject({ value: '5 kW of 4 kW', words: '1 kW above the cap' });
  expect(figure({ profile, power: { ...power, cap_w: null } }, 'cap')).toMatchObject({ value: '5 kW', words: 'reserved; no cap is known' });
  expect(figure({ power }, 'load')).toMatchObject({ value: '1.7 kW', words: 'drawn by the site now' });
});

test('nodes are counted by what runs, or by their share where there is too much to read', () => {
  const item = { reservation_id: 'r', owner: 'ada', state: 'active', start: step.start, end: step.end, node_ranges: [[0, 11]] } as unknown as ScheduleItem;
  const occupancy = { count: 44, booked: [270] };
  expect(figure({ book: { occupancy, items: [item] } }, 'nodes')).toMatchObject({ value: '12 of 44', words: 'nodes booked now' });
  expect(figure({ book: { occupancy, items: null } }, 'nodes')).toMatchObject({ value: '27 %', words: 'of 44 nodes booked now' });
});

test('what waits is counted by kind, jobs only beside Slurm', () => {
  const items = ['proposed', 'proposed', 'awaiting_supplier'].map((state) => ({ state }) as ReservationDocument);
  const undecided = { items, isAll: true };
  const managed = { items: [{ slurm: { jobs: [{ state: 'PENDING' }], jobs_count: 1 } }], isAll: true };
  const negotiations = [{ kind: 'extra_power', state: 'open', subject: { answer: null } } as unknown as NegotiationDocument];
  const read = { undecided, managed, negotiations, slurm: { mode: 'none' } };
  expect(waits(seen(read)).map(waitWords)).toEqual(['2 requests hold offers', '1 request waits for the supplier', '1 question to the supplier is open']);
  expect(waits(seen({ ...read, slurm: { mode: 'drive' } })).map(waitWords)).toContain('1 job waits in Slurm');
  expect(figure(read, 'waits')).toMatchObject({ value: '4', words: 'things wait' });
  expect(figure({ undecided: { items: items.slice(0, 2), isAll: true } }, 'waits')).toMatchObject({ value: '2', words: 'requests hold offers' });
  expect(figure({ undecided: { items: items.slice(0, 2), isAll: false } }, 'waits')).toMatchObject({ value: '2', words: 'requests hold offers, or more' });
});

test('sleeping nodes are told where nodes are switched', () => {
  const off = { action: 'off', state: 'done', node: 'n1', wake_at: '2026-03-01T18:00:00Z' } as PowerActionDocument;
  expect(figure({ switched: [off], actions: [] }, 'asleep')).toMatchObject({ value: '1', words: 'node sleeps, the first is woken today 18:00' });
  expect(figure({ switched: [], actions: [] }, 'asleep')).toBeUndefined();
});
