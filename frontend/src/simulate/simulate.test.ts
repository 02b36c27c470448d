import { expect, test } from 'vitest';

import { FIRST, experiment, faults } from './experiment';
import { panels, policyName, row, savingsWords, standing, type Simulation } from './results';

test('the first wishes make an experiment on the nodes of the site', () => {
  expect(faults(FIRST)).toEqual([]);
  expect(experiment(FIRST)).toEqual({
    name: 'What waiting for better hours saves',
    policies: ['asap_first', 'asap_least', 'cost_co2_energy', 'co2_cost_energy'],
    parameters: { days: 30, max_delay_h: 24, requests: 50, runs: 10, seed: 1 },
    nodes: 'site',
  });
});

test('tables travel with the experiment under their names', () => {
  const wishes = {
    ...FIRST, agendas: 'table' as const, requests: 'trace' as const, start: '2026-03-01', tolerance: '5', processorsPerNode: 32,
    tables: { price: { name: 'p.csv', text: 'a' }, co2: { name: 'c.csv', text: 'b' }, trace: { name: 't.swf', text: 'c' } },
  };
  const sent = experiment(wishes);
  expect(faults(wishes)).toEqual([]);
  expect(sent.files).toEqual({ price_file: 'p.csv', co2_file: 'c.csv', swf_file: 't.swf', swf_processors_per_node: 32 });
  expect(sent.tables).toEqual({ 'p.csv': 'a', 'c.csv': 'b', 't.swf': 'c' });
  expect(sent.policies).toContain('cost_co2_energy~5');
  expect(sent.parameters).toMatchObject({ start: '2026-03-01T00:00:00Z', runs: 1, arrival: 'at_earliest_start' });
});

test('what is missing is told before anything is sent', () => {
  expect(faults({ ...FIRST, policies: [], nodes: 'table', agendas: 'table', requests: 'trace' }).length).toBe(5);
});

const figures = {
  energy_j: 3.6e6, cost: 0.367, co2_g: 233, start_lag_s: 50_400, unsuccessful_nodes: 0.03,
  unsuccessful_power_cap: 0.07, unsuccessful_agenda_gap: 0, occupancy: 0.07,
};

test('savings are told against starting as soon as possible', () => {
  const savings_vs_asap_first = { energy_j: -0.02, cost: 0.48, co2_g: 0.26 };
  const words = savingsWords({
    policies: { asap_first: figures, 'cost_co2_energy~5': { ...figures, savings_vs_asap_first } },
    parameters: {},
  });
  expect(words).toEqual([
    'Cheapest first, giving way by 5 %: 48 % less cost, 26 % less CO₂ and 2 % more energy for each reservation than as soon as possible; people wait 14 h on average.',
  ]);
});

test('a row has means with their confidence intervals', () => {
  const cells = row({ ...figures, ci95: { ...figures, cost: 0.05 } }, 'EUR');
  expect(cells[0]).toEqual({ value: '0.37 EUR', spread: '± 0.05 EUR' });
  expect(cells[4]?.value).toBe('10 %');
});

test('curves become a line for each policy in each panel', () => {
  const csv = 'policy,requests,energy_j,cost,co2_g,start_lag_s\nasap_first,1,3600000,0.5,3,60\nasap_first,2,7200000,0.6,4,90\nknee,1,9,0.4,2,600\n';
  const found = panels(csv);
  expect(found.cost?.map((line) => line.name)).toEqual(['As soon as possible', 'Balanced']);
  expect(found.energy_j?.[0]?.points).toEqual([{ x: 1, y: 1 }, { x: 2, y: 2 }]);
});

test('how it stands is told in words', () => {
  const simulation = { state: 'running', runs: 40, runs_done: 17, time_left_s: 12 } as Simulation;
  expect(standing(simulation)).toBe('17 of 40 runs played, about 12 s left');
  expect(policyName('energy_co2_cost')).toBe('energy, then co2, then cost');
});
