// The agendas over a span, and what is reserved, as steps.

import { Failure, api, unwrap } from '../api/client';
import type { AgendaDocument, PowerProfileDocument } from '../api/schema';
import { iso } from '../plan/form';
import type { Step } from '../ui/steps';
import { powers, steps } from './pieces';

export type Quantity = 'price' | 'co2' | 'power-cap';

export interface Grid {
  price: Step[];
  co2: Step[];
  cap: Step[];
  reserved: Step[];
  /** Of the price, as `EUR/MWh`. */
  priceUnit: string;
}

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

/** What the supplier said over a span, and what is reserved; the cap with what was granted beyond it. */
export async function readGrid(from: number, to: number, signal: AbortSignal): Promise<Grid> {
  const [price, co2, profile] = await Promise.all([
    readAgenda('price', from, to, signal),
    readAgenda('co2', from, to, signal),
    readProfile(from, to, signal),
  ]);
  return { price: steps(price), co2: steps(co2), ...powers(profile), priceUnit: price.unit };
}

function readProfile(from: number, to: number, signal: AbortSignal): Promise<PowerProfileDocument> {
  const params = { query: { from: iso(from), to: iso(to) } };
  return unwrap(api.GET('/api/v1/power-profile', { params, signal }));
}
