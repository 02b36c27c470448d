import { expect, test } from 'vitest';

import { experimentRows } from './experimentRows';
import type { Simulation } from './results';

const simulation = (experiment: Record<string, unknown>) => ({ experiment }) as unknown as Simulation;

test('what was asked for is told by name, and long inputs by how much of them there is', () => {
  const rows = experimentRows(simulation({
    name: 'March', policies: ['asap_first', 'cost_co2_energy~5'], parameters: { max_delay_h: 24, seed: 1 }, nodes: 'site',
    agendas: { price: [] }, requests: Array.from({ length: 1200 }, () => ({})), vary: { runs: [1, 2] }, tables: { 'p.csv': '' }, files: null,
  }));
  expect(rows).toEqual([
    ['Policies', 'As soon as possible; Cheapest first, tolerance 5 %'],
    ['Max delay h', '24'],
    ['Seed', '1'],
    ['Runs', '1, 2'],
    ['Nodes', 'of the site'],
    ['Agendas', 'given'],
    ['Requests', '1,200 given'],
  ]);
  expect(experimentRows(simulation({}))).toEqual([]);
});
