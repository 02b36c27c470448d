import { expect, test } from 'vitest';

import { answer, cellName } from './answer';
import type { PolicySummary, SameRequests, Simulation, Summary } from './results';

const figures = {
  energy_j: 1, cost: 1, co2_g: 1, start_lag_s: 7200, unsuccessful_nodes: 0, unsuccessful_power_cap: 0, unsuccessful_agenda_gap: 0,
  occupancy: 0.1, scheduled: 10, total_cost: 1, total_co2_g: 1, total_energy_j: 1,
};
function month(cost: number, served = 10): PolicySummary {
  return { ...figures, start_lag_s: 600, month: { requests: 10, served, energy_j: 3.6e9, cost, co2_g: 2e6 } };
}
function policy(cost: number, co2_g: number, ends: [number, number] | null = null): PolicySummary {
  const same_requests: SameRequests = {
    requests: 9, saved: { cost, co2_g, energy_j: 0 }, saved_ci95: { cost: ends, co2_g: null, energy_j: null },
  };
  return { ...figures, same_requests };
}
function summary(asap: PolicySummary, policies: Record<string, PolicySummary>): Summary {
  return { policies: { asap_first: asap, ...policies }, parameters: { currency: 'EUR' } };
}
const played = (it: Partial<Simulation>) => ({ cells: [], experiment: {}, ...it }) as unknown as Simulation;

test('a month is answered by its total, and by what the cheapest saves of the same requests', () => {
  const of = summary(month(200, 9), { knee: policy(0.05, 0.1), cost_co2_energy: policy(0.2, -0.03, [0.15, 0.25]) });
  expect(answer(played({ summary: of, experiment: { requests: 'given' } }))).toEqual([
    'As soon as possible, 9 of 10 requests would have taken 1 MWh, 200.00 EUR and 2 t of CO₂ in total.',
    'Cheapest first would have cost 20 % less (95 % interval: 15 % to 25 % saved) and emitted 3 % more, on the same 9 requests.',
  ]);
});

test('policies are answered by the cheapest and the cleanest, which may be one', () => {
  const two = answer(played({ summary: summary(month(1), { cost_co2_energy: policy(0.2, 0.1), co2_cost_energy: policy(0.1, 0.3) }) }));
  expect(two).toEqual([
    'Cheapest first is the cheapest: it costs 20 % less than as soon as possible. Requests wait 2 h on average, 10 min as soon as possible.',
    'Cleanest first is the cleanest: it emits 30 % less. Requests wait 2 h on average.',
  ]);
  const one = answer(played({ summary: summary(month(1), { knee: policy(0.2, 0.3) }) }));
  expect(one).toHaveLength(1);
  expect(one[0]).toContain('emits 30 % less, the cleanest too.');
});

test('other prices are answered beside those that there are', () => {
  const cells = ['prices as they are', 'with 100 EUR a tonne of CO₂'].map((name, cell) => ({ cell: cell + 1, name: `price_file=${name}` }));
  const summaries = [
    summary(month(200), { cost_co2_energy: policy(0.2, 0.1) }),
    summary(month(210), { cost_co2_energy: policy(0.25, 0.15) }),
  ];
  expect(answer(played({ summary: summaries, cells }))).toEqual([
    'With 100 EUR a tonne of CO₂: as soon as possible, the month would have cost 210.00 EUR, not 200.00 EUR.',
    'Cheapest first would then have cost 25 % less and emitted 15 % less; with the prices as they are 20 % less and 10 % less.',
  ]);
  expect(cellName(cells[0]?.name)).toBe('Prices as they are');
});

test('where nothing can be compared, nothing is claimed', () => {
  expect(answer(played({ summary: null }))).toEqual([]);
  expect(answer(played({ summary: { policies: { knee: { ...figures } }, parameters: {} } }))).toEqual([]);
  const cells = [{ cell: 1, name: 'max_delay_h=4' }, { cell: 2, name: 'max_delay_h=8' }];
  expect(answer(played({ summary: [summary(month(1), {}), summary(month(1), {})], cells }))).toEqual([]);
});
