// What the form says, as an experiment: `POST /api/v1/simulations`.

export interface Table {
  name: string;
  text: string;
}

export interface Wishes {
  name: string;
  policies: string[];
  /** Percent of cost by which the cheapest gives way to the cleaner; empty: it does not. */
  tolerance: string;
  nodes: 'site' | 'drawn' | 'table';
  agendas: 'site' | 'drawn' | 'table';
  requests: 'drawn' | 'trace';
  nodeCount: number;
  requestCount: number;
  runs: number;
  days: number;
  maxDelay: number;
  seed: number;
  /** A day, `2026-03-01`. */
  start: string;
  /** Whether to play where the agendas do not cover what requests could use. */
  allowUncovered: boolean;
  tables: Partial<Record<'nodes' | 'price' | 'co2' | 'power_cap' | 'trace', Table>>;
  processorsPerNode: number;
}

export const POLICIES = [
  ['asap_first', 'As soon as possible', 'any free nodes'],
  ['asap_least', 'As soon as possible, thrifty nodes', 'the least-drawing free nodes'],
  ['cost_co2_energy', 'Cheapest first', 'cost, then CO₂, then energy'],
  ['co2_cost_energy', 'Cleanest first', 'CO₂, then cost, then energy'],
  ['energy_cost_co2', 'Least energy first', 'energy, then cost, then CO₂'],
  ['knee', 'Balanced', 'the knee of the front'],
  ['mixed', 'Mixed people', 'each user with a ranking of their own'],
] as const;

export const FIRST: Wishes = {
  name: 'What waiting for better hours saves',
  policies: ['asap_first', 'asap_least', 'cost_co2_energy', 'co2_cost_energy'],
  tolerance: '',
  nodes: 'site',
  agendas: 'drawn',
  requests: 'drawn',
  nodeCount: 44,
  requestCount: 50,
  runs: 10,
  days: 30,
  maxDelay: 24,
  seed: 1,
  start: '',
  allowUncovered: false,
  tables: {},
  processorsPerNode: 1,
};

/** What is wrong with the wishes, in words. */
export function faults(wishes: Wishes): string[] {
  const found: string[] = [];
  if (wishes.policies.length === 0) found.push('Choose at least one policy.');
  if (wishes.nodes === 'table' && !wishes.tables.nodes) found.push('Upload the table of nodes.');
  if (wishes.agendas === 'table' && !(wishes.tables.price && wishes.tables.co2)) {
    found.push('Upload the tables of prices and CO₂ intensities.');
  }
  if (wishes.requests === 'trace' && !wishes.tables.trace) found.push('Upload the workload trace.');
  if (wishes.agendas !== 'drawn' && wishes.start === '') found.push('Say on which day the agendas begin to be played.');
  const tolerance = Number(wishes.tolerance || 0);
  if (!(tolerance >= 0 && tolerance <= 100)) found.push('What the cheapest gives way by lies between 0 and 100 %.');
  return found;
}

/** The body of the request. */
export function experiment(wishes: Wishes): Record<string, unknown> {
  const tables: Record<string, string> = {};
  const files: Record<string, unknown> = {};
  const use = (key: keyof Wishes['tables'], file: string) => {
    const table = wishes.tables[key];
    if (!table) return;
    tables[table.name] = table.text;
    files[file] = table.name;
  };
  if (wishes.nodes === 'table') use('nodes', 'nodes_file');
  if (wishes.agendas === 'table') {
    use('price', 'price_file');
    use('co2', 'co2_file');
    use('power_cap', 'power_cap_file');
  }
  const parameters: Record<string, unknown> = { days: wishes.days, max_delay_h: wishes.maxDelay };
  if (wishes.start) parameters.start = `${wishes.start}T00:00:00Z`;
  if (wishes.agendas !== 'drawn' && wishes.allowUncovered) parameters.allow_uncovered = true;
  if (wishes.nodes === 'drawn') parameters.nodes = wishes.nodeCount;
  if (wishes.requests === 'trace') {
    use('trace', 'swf_file');
    files.swf_processors_per_node = wishes.processorsPerNode;
    parameters.arrival = 'at_earliest_start';
    parameters.runs = 1;
  } else {
    Object.assign(parameters, { requests: wishes.requestCount, runs: wishes.runs, seed: wishes.seed });
  }
  const policies = [...wishes.policies];
  const tolerance = Number(wishes.tolerance || 0);
  if (tolerance > 0) policies.push(`cost_co2_energy~${tolerance}`);
  return {
    name: wishes.name || FIRST.name,
    policies,
    parameters,
    ...(Object.keys(files).length > 0 ? { files, tables } : {}),
    ...(wishes.nodes === 'site' ? { nodes: 'site' } : {}),
    ...(wishes.agendas === 'site' ? { agendas: 'site' } : {}),
  };
}
