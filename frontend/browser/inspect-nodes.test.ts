// Nodes, their forms and the page of one node in each of their states: nothing lies over anything else, and everybody can use them.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type {
  CalibrationDocument, FindingDocument, FindingsPage, NodePowers, NodesPage, OutageDocument, PowerActionDocument, PowerHoldDocument, SlurmOccupant,
} from '../src/api/schema';
import { FAILED, inspectStates, isChosen, type State } from './states';
import { book } from './things';
import { hours, tour } from './tour';

const { service, visit } = tour({ prepare: async (service) => void (await book(service, 2)) });

const range = <T>(many: number, of: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => of(index));

const outage = (index: number, more: Partial<OutageDocument> = {}): OutageDocument => ({
  id: `o${index}`, owner: 'grace', reason: 'the power supplies of this rack are replaced, and its network switch', created_at: hours(-1), start: hours(-1),
  end: index % 2 ? hours(200) : null, node_count: 3, node_ranges: [[index, index], [index + 4, index + 5]],
  nodes: [`aube-${index + 1}`, `aube-${index + 5}`, `aube-${index + 6}`], reservations: [], ...more,
});
const OUTAGES = {
  items: [
    outage(0), outage(1, { start: hours(20) }), outage(2, { owner: 'slurm', reason: '' }),
    outage(3, { reservations: range(7, (index) => `01a21cfd-3e41-77ea-8d42-9412fd24bdb${index}`) }), ...range(30, (index) => outage(index + 4)),
  ],
  next_cursor: null,
};
const slurm = (real: object) => ({ ...real, mode: 'observe', state: 'connected', version: '25.05.3', occupied: { jobs: 4, reservations: 2, nodes: 7 } });
const occupied = () => ({
  items: range(20, (index): SlurmOccupant => ({
    by: `job 4711_${index}`, because: 'it began before the service knew of it', start: hours(-2), end: index % 2 ? hours(3) : null, node_count: 2,
    node_ranges: [[index, index + 1]], nodes: [`aube-${index + 1}`, `aube-${index + 2}`],
  })),
  next_cursor: null,
});
const action = (id: number, state: string, more: Partial<PowerActionDocument> = {}): PowerActionDocument => ({
  id, state, action: 'off', asked_by: 'plan', created: hours(-1), currency: 'EUR', due: hours(1), node: `aube-${id}`, orders: 0, since: hours(-1),
  saves: { energy_j: 3.6e7, cost: 1.25, co2_g: 450 }, ...more,
});
const ACTIONS = [
  action(1, 'proposed'), action(2, 'proposed'), action(3, 'ordered'), action(4, 'failed', { because: 'the management controller does not answer within 30 s' }),
  action(5, 'waiting', { action: 'wake', reservation_id: '01a21cfd-3e41-77ea-8d42-9412fd24bdb1' }), action(6, 'waiting', { action: 'limit', limit_w: 180 }),
  ...range(20, (index) => action(index + 7, 'waiting')),
];
const HOLDS = range(25, (index): PowerHoldDocument => ({ node: `aube-${index + 1}`, until: hours(12), by: 'grace' }));
const switching = (real: object, asked: URL) => (asked.searchParams.get('state') === 'final' ? real : { actions: ACTIONS, holds: HOLDS });
const switchingOf = (name: string) => () => ({
  actions: ACTIONS.map((it) => ({ ...it, node: name })), holds: HOLDS.slice(0, 1).map((it) => ({ ...it, node: name })),
});

const finding = (node: string, more: Partial<FindingDocument> = {}): FindingDocument => ({
  node, idle_power_w: 99.25, max_power_w: 225.5, measured_idle: { power_w: 131.5, quarters: 40, spread_w: 2 }, measured_max: { power_w: 260.5, quarters: 12, spread_w: 4 },
  drifted: true, outlying: true, fault: null, error: { count: 96, mean_percent: -12.3, mean_absolute_percent: 13.4 }, proposal: null, ...more,
});
const proposal = (state: string) => ({ state, since: hours(-3), idle_power_w: 131.5, max_power_w: 260.5 });
const FINDINGS = [
  finding('aube-1', { proposal: proposal('open') }), finding('aube-2', { proposal: proposal('rejected') }), finding('aube-3', { fault: 'implausible' }),
  ...range(10, (index) => finding(`aube-${index + 4}`)),
];
const judged = (real: FindingsPage): FindingsPage => ({
  ...real, judged_at: hours(-1), counts: { nodes: 44, drifted: 12, outlying: 13, failing: 1, proposed: 1, rejected: 1 }, items: FINDINGS,
});
const errors = () => ({
  by: 'application',
  rows: ['', 'molecular-dynamics-of-membranes', 'lattice'].map((group) => ({
    group, reservations: 12, energy: { count: 12, mean_percent: 3.2, mean_absolute_percent: 5.1 }, cost: { count: 12, mean_percent: -2, mean_absolute_percent: 4 }, co2: null,
  })),
});
const calibrated = () => ({
  items: range(25, (index): CalibrationDocument => ({
    node: 'aube-1', measured_at: hours(-24 * (index + 1)), source: index % 2 ? 'meters' : 'samples', idle_power_w: 99.2 + index, idle_spread_w: 1.2, idle_samples: 40,
    max_power_w: 225.5 - index, max_spread_w: 3.4, max_samples: 30, outliers: index % 3,
  })),
  next_cursor: null,
});
const outliers = (real: NodePowers): NodePowers => {
  const [one] = real.outliers;
  const made = range(20, (index) => ({ ordinal: index, name: `aube-${index + 1}`, idle_power_w: 140.25, max_power_w: 301.5, by: ['idle', 'max'] }));
  return { ...real, outlier_count: 28, outliers: made.map((it) => ({ ...one, ...it })) };
};
const put = (real: NodesPage): NodesPage => ({
  ...real,
  nodes: real.nodes.map((it) => ({
    ...it, alpha: 1.25, partitions: ['compute', 'large-memory'], features: ['avx512', 'infiniband'], slurm: { cpus: 128, memory_mib: 524_288, generic_resources: 'gpu:a100:4' },
  })),
});

const form = (page: Page, name: string) => page.getByRole('form', { name });
const declare = (page: Page) => form(page, 'Declare an outage');
const takeOut = (page: Page) => declare(page).getByRole('button', { name: 'Take them out of service' }).click();
async function fill(page: Page, nodes: string): Promise<void> {
  await declare(page).getByLabel('Nodes').fill(nodes);
  await declare(page).getByLabel('Why').fill('the cooling is renewed');
}
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

const TABLE: State[] = [
  { name: 'table', at: 'nodes', there: 'What runs on it' },
  { name: 'searched to nothing', at: 'nodes?search=nowhere', there: 'No node is like that.' },
  { name: 'ordered', at: 'nodes?order=-power&state=free', there: '▼' },
  {
    name: 'every state of nodes', at: 'nodes', there: 'Occupied by others',
    answers: { nodes: put, outages: () => OUTAGES, 'power-actions': switching, slurm, 'slurm/occupied': occupied, 'calibrations/findings': judged },
  },
  { name: 'nodes are read', at: 'nodes', answers: { nodes: 'waits' }, there: 'Reading the nodes …' },
  { name: 'nodes cannot be read', at: 'nodes', answers: { nodes: 'fails', 'nodes/powers': 'fails' }, there: FAILED },
  { name: 'no nodes', at: 'nodes', answers: { 'nodes/powers': (real: NodePowers) => ({ ...real, count: 0 }) }, there: /^There are no nodes yet/ },
];
const OUT: State[] = [
  { name: 'none', at: 'nodes?tab=outages', there: 'No node is out of service, or is going to be.' },
  { name: 'nothing filled in', at: 'nodes?tab=outages', act: takeOut, there: 'Names of nodes, such as n1,n[4-7].' },
  { name: 'unknown node', at: 'nodes?tab=outages', act: (page) => fill(page, 'nowhere'), there: 'There is no node nowhere.' },
  { name: 'what is displaced is read', at: 'nodes?tab=outages', answers: { schedule: 'waits' }, act: (page) => fill(page, 'aube-1'), there: 'Looking what it displaces …' },
  { name: 'what is displaced cannot be read', at: 'nodes?tab=outages', answers: { schedule: 'fails' }, act: (page) => fill(page, 'aube-1'), there: FAILED },
  {
    name: 'asked whether', at: 'nodes?tab=outages', there: /^Take 44 nodes out of service that \d+ reservations? holds?\?$/,
    act: async (page) => {
      await fill(page, 'aube-[1-44]');
      await page.getByText(/holds? some of these nodes\./).waitFor();
      await takeOut(page);
    },
  },
  {
    name: 'declared', at: 'nodes?tab=outages', there: /^Declared: 1 node out of service/,
    act: async (page) => {
      await fill(page, 'aube-44');
      await takeOut(page);
      await press('Yes, take them out')(page);
    },
  },
  {
    name: 'ended', at: 'nodes?tab=outages', there: 'Ended: the nodes are in service again.',
    act: async (page) => {
      await press(/^End it now/)(page);
      await press('Yes, end it')(page);
    },
  },
  { name: 'many', at: 'nodes?tab=outages', answers: { outages: () => OUTAGES, slurm, 'slurm/occupied': occupied }, there: 'Slurm tells of it: it ends there.' },
  {
    name: 'nothing changed', at: 'nodes?tab=outages', answers: { outages: () => OUTAGES }, there: 'Nothing is changed yet.',
    act: async (page) => {
      await press(/^Change the outage of/)(page);
      await form(page, 'Change an outage').getByRole('button', { name: 'Change it' }).click();
    },
  },
  { name: 'asked whether to end it', at: 'nodes?tab=outages', answers: { outages: () => OUTAGES }, act: press(/^End it now/), there: 'Put these nodes into service again?' },
  { name: 'outages cannot be read', at: 'nodes?tab=outages', answers: { outages: 'fails', slurm: 'fails' }, there: FAILED },
];
const switchForm = (page: Page) => form(page, 'Switch nodes');
const SLEEP: State[] = [
  { name: 'none', at: 'nodes?tab=switching', there: /^No node is being switched/ },
  { name: 'many', at: 'nodes?tab=switching', answers: { 'power-actions': switching }, there: /^2 sleeps wait for approval/ },
  { name: 'asked why not', at: 'nodes?tab=switching', answers: { 'power-actions': switching }, act: press('Refuse for aube-1'), there: 'Refuse it' },
  { name: 'asked whether', at: 'nodes?tab=switching', answers: { 'power-actions': switching }, act: press('Approve all'), there: 'Approve all 2 that wait?' },
  { name: 'actions cannot be read', at: 'nodes?tab=switching', answers: { 'power-actions': 'fails' }, there: FAILED },
  {
    name: 'wrong list', at: 'nodes?tab=switching', there: 'A bracket is not closed.',
    act: async (page) => {
      await switchForm(page).getByLabel('Nodes').fill('aube-[1-2');
      await switchForm(page).getByLabel('What to do').selectOption('hold');
      await press('Keep them on')(page);
    },
  },
  {
    name: 'refused by the service', at: 'nodes?tab=switching', there: /service switches no nodes/,
    act: async (page) => {
      await switchForm(page).getByLabel('Nodes').fill('aube-9');
      await press('Switch them off')(page);
      await press('Yes, switch off')(page);
    },
  },
];
const figure = (page: Page) => page.getByRole('img', { name: /^Idle and maximum power of 44 nodes/ }).press('ArrowRight');
const MEASURED = { 'calibrations/findings': judged, 'model-error': errors };
const CALIBRATION: State[] = [
  { name: 'not measured', at: 'nodes?tab=calibration', there: 'Nodes that stand out' },
  { name: 'measured', at: 'nodes?tab=calibration', answers: MEASURED, there: 'Accept all' },
  { name: 'asked whether', at: 'nodes?tab=calibration', answers: MEASURED, act: press('Accept all'), there: 'Take all powers that are proposed?' },
  { name: 'many stand out', at: 'nodes?tab=calibration', answers: { 'nodes/powers': outliers }, there: 'The farthest out of 28.' },
  { name: 'none stands out', at: 'nodes?tab=calibration', answers: { 'nodes/powers': (real: NodePowers) => ({ ...real, outlier_count: 0, outliers: [] }) }, there: /^None: every node/ },
  { name: 'pointed at', at: 'nodes?tab=calibration', act: figure, there: /: idle .* W, maximum .* W$/ },
];
const NODE: State[] = [
  { name: 'nothing known', at: 'nodes/aube-1', answers: { schedule: () => ({ items: [] }) }, there: /^Nothing is known of it in this time/ },
  { name: 'a day', at: 'nodes/aube-1?days=1', act: isChosen('Back and ahead', '1'), there: 'Calibration over time' },
  {
    name: 'everything known', at: 'nodes/aube-1?days=28', there: /^The newest 20 of 25/,
    answers: {
      nodes: put, outages: () => OUTAGES, 'power-actions': switchingOf('aube-1'), 'slurm/occupied': occupied, 'calibrations/findings': judged, calibrations: calibrated,
    },
  },
  { name: 'unknown', at: 'nodes/nowhere', there: /^There is none of this name/ },
  { name: 'read', at: 'nodes/aube-1', answers: { nodes: 'waits' }, there: /^Reading/ },
  { name: 'parts are read', at: 'nodes/aube-1', answers: { occupancy: 'waits', calibrations: 'waits' }, there: 'Reading what it did …' },
  {
    name: 'parts cannot be read', at: 'nodes/aube-1', there: FAILED,
    answers: { outages: 'fails', 'power-actions': 'fails', occupancy: 'fails', calibrations: 'fails' },
  },
];

const GROUPS: Record<string, State[]> = {
  'the table of nodes': TABLE,
  'nodes out of service': OUT,
  'nodes that sleep': SLEEP,
  'the calibration of nodes': CALIBRATION,
  'the page of a node': NODE,
};
for (const [name, states] of Object.entries(GROUPS)) {
  test(`${name}, in each state`, { timeout: 600_000 }, async () => {
    const { page } = await visit('', { bypassCSP: true });
    expect(await inspectStates(page, service.url, states)).toEqual({});
  });
}
