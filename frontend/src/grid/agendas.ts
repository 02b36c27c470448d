// The three agendas over a span, as steps.

import { Failure, api, unwrap } from '../api/client';
import type { AgendaDocument, PowerProfileDocument } from '../api/schema';
import { iso } from '../plan/form';
import type { Step } from '../ui/steps';
import { steps } from './pieces';

export type Quantity = 'price' | 'co2' | 'power-cap';

export interface Agendas {
  price: Step[];
  co2: Step[];
  cap: Step[];
  /** Of the price, as `EUR/MWh`. */
  priceUnit: string;
}

const time = (text: string) => Date.parse(text);

export async function readAgenda(
  quantity: Quantity,
  from: number,
  to: number,
  signal: AbortSignal,
  asOf?: number,
): Promise<AgendaDocument> {
  const query = { from: iso(from), to: iso(to), ...(asOf ? { as_of: iso(asOf) } : {}) };
  const params = { path: { quantity }, query };
  const answer = await unwrap(api.GET('/api/v1/agendas/{quantity}', { params, signal }));
  // As text it would be a table, which was not asked for.
  if (typeof answer === 'string') throw new Failure('unreadable', 'The agenda came as a table.');
  return answer;
}

export async function readAgendas(from: number, to: number, signal: AbortSignal): Promise<Agendas> {
  const read = (quantity: Quantity) => readAgenda(quantity, from, to, signal);
  const [price, co2, cap] = await Promise.all([read('price'), read('co2'), read('power-cap')]);
  return { price: steps(price), co2: steps(co2), cap: steps(cap), priceUnit: price.unit };
}

export function readProfile(from: number, to: number, signal: AbortSignal): Promise<PowerProfileDocument> {
  const params = { query: { from: iso(from), to: iso(to) } };
  return unwrap(api.GET('/api/v1/power-profile', { params, signal }));
}

/** Reserved power as steps, watts. */
export function reserved(profile: PowerProfileDocument): Step[] {
  return profile.steps.map((step) => ({
    start: time(step.start),
    end: time(step.end),
    value: step.reserved_power_w,
  }));
}
