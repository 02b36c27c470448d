import { expect, test } from 'vitest';

import type { ReportRowDocument } from '../api/schema';
import { csv, months, named, sums } from './report';

function row(values: Partial<ReportRowDocument>): ReportRowDocument {
  return {
    node_hours_reserved: 3, node_hours_used: null, energy_kwh: 1, measured_share: 0.5, cost: 2, currency: 'EUR',
    co2_location_kg: null, co2_market_kg: null, promised_saving_cost: null, promised_saving_co2_kg: null,
    measured_saving_cost: null, measured_saving_co2_kg: null, ...values,
  } as ReportRowDocument;
}

test('months begin and end as the clock of the site does, across summer time and the new year', () => {
  const [march, february, january, december] = months(Date.parse('2026-03-31T21:00:00Z'), 'Europe/Paris', 4);
  expect(march).toEqual({
    id: '2026-03', name: 'March 2026', from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z',
  });
  expect(february?.to).toBe(march?.from);
  expect([january?.id, december?.id]).toEqual(['2026-01', '2025-12']);
  expect(months(Date.parse('2026-03-31T22:00:00Z'), 'Europe/Paris', 1)[0]?.id).toBe('2026-04');
});

test('sums leave out what is not known, and keep currencies apart', () => {
  const all = sums([
    row({ co2_location_kg: 4 }),
    row({ energy_kwh: 3, measured_share: 1, measured_saving_cost: -1 }),
    row({ currency: 'CHF', cost: null }),
  ]);
  expect(all.energy_kwh).toBe(5);
  expect(all.measured_share).toBeCloseTo(0.8);
  expect([all.co2_location_kg, all.measured_saving_co2_kg]).toEqual([4, null]);
  expect(all.costs).toEqual([
    { currency: 'EUR', cost: 4, saved: -1 },
    { currency: 'CHF', cost: null, saved: null },
  ]);
  expect(sums([]).measured_share).toBe(0);
});

test('the table is that of the command line', () => {
  const table = csv([row({ user: 'a "b", c', cost: null })], ['user']);
  const [head, line] = table.split('\n');
  expect(head?.startsWith('user,node_hours_reserved,node_hours_used,energy_kwh,measured_share,cost,currency,')).toBe(true);
  expect(line?.startsWith('"a ""b"", c",3,,1,0.5,,EUR,')).toBe(true);
  expect(head?.split(',')).toHaveLength(17);
});

test('what is nobody’s says so', () => {
  expect(named(row({ user: '' }), 'user')).toContain('nobody');
  expect(named(row({ project: '' }), 'project')).toBe('not said');
  expect(named(row({ user: 'ada' }), 'user')).toBe('ada');
});
