// What the form says, as an experiment: `POST /api/v1/simulations`.

import { language } from '../texts/language.svelte';

export interface Table {
  name: string;
  text: string;
}

/** What the form says. */
export interface FormValues {
  /** Empty: the usual one. */
  name: string;
  policies: string[];
  /** Percent of cost within which the cheapest takes a cleaner start; empty: not compared. */
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

/** Those that have names for people: `language.texts.simulate.policies`. */
export const POLICIES = ['asap_first', 'asap_least', 'cost_co2_energy', 'co2_cost_energy', 'energy_cost_co2', 'knee', 'mixed'] as const;

export const DEFAULTS: FormValues = {
  name: '',
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

/** What is wrong with the form, in words. */
export function errorsOf(values: FormValues): string[] {
  const texts = language.texts.simulate.form;
  const found: string[] = [];
  if (values.policies.length === 0) found.push(texts.noPolicy);
  if (values.nodes === 'table' && !values.tables.nodes) found.push(texts.noNodes);
  if (values.agendas === 'table' && !(values.tables.price && values.tables.co2)) {
    found.push(texts.noAgendas);
  }
  if (values.requests === 'trace' && !values.tables.trace) found.push(texts.noTrace);
  if (values.agendas !== 'drawn' && values.start === '') found.push(texts.noStart);
  const tolerance = Number(values.tolerance || 0);
  if (!(tolerance >= 0 && tolerance <= 100)) found.push(texts.wrongTolerance);
  return found;
}

/** The experiment that the form describes, as the service takes it. */
export function experiment(values: FormValues): Record<string, unknown> {
  const tables: Record<string, string> = {};
  const files: Record<string, unknown> = {};
  const use = (key: keyof FormValues['tables'], file: string) => {
    const table = values.tables[key];
    if (!table) return;
    tables[table.name] = table.text;
    files[file] = table.name;
  };
  if (values.nodes === 'table') use('nodes', 'nodes_file');
  if (values.agendas === 'table') {
    use('price', 'price_file');
    use('co2', 'co2_file');
    use('power_cap', 'power_cap_file');
  }
  const parameters: Record<string, unknown> = { days: values.days, max_delay_h: values.maxDelay };
  if (values.start) parameters.start = `${values.start}T00:00:00Z`;
  if (values.agendas !== 'drawn' && values.allowUncovered) parameters.allow_uncovered = true;
  if (values.nodes === 'drawn') parameters.nodes = values.nodeCount;
  if (values.requests === 'trace') {
    use('trace', 'swf_file');
    files.swf_processors_per_node = values.processorsPerNode;
    parameters.arrival = 'at_earliest_start';
    parameters.runs = 1;
  } else {
    Object.assign(parameters, { requests: values.requestCount, runs: values.runs, seed: values.seed });
  }
  const policies = [...values.policies];
  const tolerance = Number(values.tolerance || 0);
  if (tolerance > 0) policies.push(`cost_co2_energy~${tolerance}`);
  return {
    name: values.name || language.texts.simulate.names.settings,
    policies,
    parameters,
    ...(Object.keys(files).length > 0 ? { files, tables } : {}),
    ...(values.nodes === 'site' ? { nodes: 'site' } : {}),
    ...(values.agendas === 'site' ? { agendas: 'site' } : {}),
  };
}
