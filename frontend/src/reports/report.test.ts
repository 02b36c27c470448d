import { expect, test } from 'vitest';

import type { ReportRowDocument } from '../api/schema';
import { csv, named, savedWords, sums } from './report';

function row(values: Partial<ReportRowDocument>): ReportRowDocument {
  return {
    node_hours_reserved: 3, node_hours_used: null, energy_kwh: 1, measured_share: 0.5, cost: 2, currency: 'EUR',
    co2_location_kg: null, co2_market_kg: null, promised_saving_cost: null, promised_saving_co2_kg: null,
    measured_saving_cost: null, measured_saving_co2_kg: null, ...values,
  } as ReportRowDocument;
}

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
    { currency: 'EUR', cost: 4, promised: null, measured: -1 },
    { currency: 'CHF', cost: null, promised: null, measured: null },
  ]);
  // Of lines whose savings are known.
  expect(all.saving_measured_share).toBe(1);
  expect(sums([])).toMatchObject({ measured_share: 0, saving_measured_share: null });
});

test('the first sentence says what was saved, what was promised, and how much of it was measured', () => {
  const saved = row({ promised_saving_cost: 3, promised_saving_co2_kg: 0.2, measured_saving_cost: 2.5, measured_saving_co2_kg: 0.1 });
  expect(savedWords(sums([saved, row({ user: '', measured_share: 0 })]), 'In March 2026')).toBe(
    'In March 2026, against starting as soon as possible, 2.50 EUR and 100 g of CO₂ were saved; the offers promised 3.00 EUR and 200 g of CO₂ saved. ' +
      '50 % of the energy behind this was measured, the rest is estimated.',
  );
  const dirtier = row({ promised_saving_cost: 3, promised_saving_co2_kg: -0.2, measured_saving_cost: 2.5, measured_saving_co2_kg: -0.1 });
  expect(savedWords(sums([dirtier]), 'In March 2026')).toContain(
    '2.50 EUR were saved and 100 g of CO₂ more were taken; the offers promised 3.00 EUR saved and 200 g of CO₂ more.',
  );
  expect(savedWords(sums([{ ...saved, measured_share: 0 }]), 'In March 2026')).toContain('None of the energy behind this was measured');
  expect(savedWords(sums([{ ...saved, measured_share: 1 }]), 'In March 2026')).toContain('All of the energy');
  expect(savedWords(sums([row({ promised_saving_cost: 3 })]), 'In March 2026')).toContain('the offers promised 3.00 EUR saved. What was really saved is not known');
  expect(savedWords(sums([row({})]), 'In March 2026')).toContain('nothing is known of starting as soon as possible');
});

test('the table has units in its names, and a column of money for each currency', () => {
  const table = csv([row({ user: 'a "b", c', cost: null }), row({ user: 'd', currency: 'CHF', cost: 4 })], ['user']);
  const [head, first, second] = table.split('\n').map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  expect(head?.slice(0, 9)).toEqual([
    'user', 'node_hours_reserved', 'node_hours_used', 'energy_kwh', 'energy_j', 'measured_j', 'measured_share', 'cost_CHF', 'cost_EUR',
  ]);
  expect([first?.[0], first?.[8], second?.[7], second?.[8]]).toEqual(['"a ""b"", c"', '', '4', '']);
  expect([first?.length, second?.length]).toEqual([head?.length, head?.length]);
});

test('what is nobody’s says so', () => {
  expect(named(row({ user: '' }), 'user')).toContain('nobody');
  expect(named(row({ project: '' }), 'project')).toBe('no project');
  expect(named(row({ user: 'ada' }), 'user')).toBe('ada');
});
