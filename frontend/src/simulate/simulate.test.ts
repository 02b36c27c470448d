import { expect, test } from 'vitest';

import { DEFAULTS, experiment, errorsOf } from './experiment';
import { coverageWords, panels, policyName, row, stateWords, tableWords, type Simulation } from './results';

test('the first values make an experiment on the nodes of the site', () => {
  expect(errorsOf(DEFAULTS)).toEqual([]);
  expect(experiment(DEFAULTS)).toEqual({
    name: 'What waiting for better hours saves',
    policies: ['asap_first', 'asap_least', 'cost_co2_energy', 'co2_cost_energy'],
    parameters: { days: 30, max_delay_h: 24, requests: 50, runs: 10, seed: 1 },
    nodes: 'site',
  });
});

test('tables travel with the experiment under their names', () => {
  const values = {
    ...DEFAULTS, agendas: 'table' as const, requests: 'trace' as const, start: '2026-03-01', tolerance: '5', processorsPerNode: 32,
    tables: { price: { name: 'p.csv', text: 'a' }, co2: { name: 'c.csv', text: 'b' }, trace: { name: 't.swf', text: 'c' } },
  };
  const sent = experiment(values);
  expect(errorsOf(values)).toEqual([]);
  expect(sent.files).toEqual({ price_file: 'p.csv', co2_file: 'c.csv', swf_file: 't.swf', swf_processors_per_node: 32 });
  expect(sent.tables).toEqual({ 'p.csv': 'a', 'c.csv': 'b', 't.swf': 'c' });
  expect(sent.policies).toContain('cost_co2_energy~5');
  expect(sent.parameters).toMatchObject({ start: '2026-03-01T00:00:00Z', runs: 1, arrival: 'at_earliest_start' });
});

test('what is missing is told before anything is sent', () => {
  expect(errorsOf({ ...DEFAULTS, policies: [], nodes: 'table', agendas: 'table', requests: 'trace' }).length).toBe(5);
});

const figures = {
  energy_j: 3.6e6, cost: 0.367, co2_g: 233, start_lag_s: 50_400, unsuccessful_nodes: 0.03,
  unsuccessful_power_cap: 0.07, unsuccessful_agenda_gap: 0, occupancy: 0.07,
  scheduled: 490, total_cost: 753.22, total_co2_g: 1.2e6, total_energy_j: 3.6e10,
};

test('a row is the month in total', () => {
  const summary = { policies: {}, parameters: { currency: 'EUR', requests: 500 } };
  const cells = row({ ...figures, ci95: { ...figures, total_cost: 5.5 } }, summary);
  expect(cells[0]?.value).toBe('490 of 500');
  expect(cells[1]).toEqual({ value: '753.22 EUR', spread: '± 5.50 EUR' });
  expect(cells[3]?.value).toBe('10 MWh');
});

test('the method of intervals and what is not covered are told', () => {
  const of = (month: { requests: number; covered_share?: number }) => ({
    policies: { asap_first: { ...figures, month: { served: 490, energy_j: 1, cost: 1, co2_g: 1, ...month } } },
    intervals: { method: 'bootstrap_over_requests' as const, resamples: 1000, seed: 7 },
    parameters: { runs: 1 },
  });
  expect(tableWords(of({ requests: 500 }))).toBe(
    'The month in total. Intervals of what is saved: 95 %, bootstrap over the requests, 1000 resamples, seed 7.',
  );
  expect(coverageWords(of({ requests: 500, covered_share: 0.1 }))).toContain('cover 10 % of the requests');
  expect(coverageWords(of({ requests: 500, covered_share: 1 }))).toBe('');
});

test('what is not covered is played only where that is allowed', () => {
  const site = { ...DEFAULTS, agendas: 'site' as const, start: '2026-03-01' };
  expect(experiment(site).parameters).not.toHaveProperty('allow_uncovered');
  expect(experiment({ ...site, allowUncovered: true }).parameters).toMatchObject({ allow_uncovered: true });
});

test('curves become a line for each policy in each panel', () => {
  const csv = 'policy,requests,energy_j,cost,co2_g,start_lag_s\nasap_first,1,3600000,0.5,3,60\nasap_first,2,7200000,0.6,4,90\nknee,1,9,0.4,2,600\n';
  const found = panels(csv);
  expect(found.cost?.map((line) => line.name)).toEqual(['As soon as possible', 'Balanced']);
  expect(found.energy_j?.[0]?.points).toEqual([{ x: 1, y: 1 }, { x: 2, y: 2 }]);
});

test('how it stands is told in words', () => {
  const simulation = { state: 'running', runs: 40, runs_done: 17, time_left_s: 12 } as Simulation;
  expect(stateWords(simulation)).toBe('17 of 40 runs played, about 12 s left');
  expect(policyName('energy_co2_cost')).toBe('energy, then co2, then cost');
  expect(policyName('cost_co2_energy~5')).toBe('Cheapest first, tolerance 5 %');
});
