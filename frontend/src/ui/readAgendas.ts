// Reads the agendas over a span, and what is reserved.

import { Failure, api, unwrap } from '../api/client';
import type { AgendaDocument, PowerProfileDocument } from '../api/schema';
import { iso } from '../time/words';
import { powers, steps } from './agendas';
import type { Step } from './steps';

export type Quantity = 'price' | 'co2' | 'power-cap';

/** All agendas over a span, as steps. */
export interface Agendas {
  price: Step[];
  co2: Step[];
  /** The cap with what was granted beyond it, watts. */
  cap: Step[];
  /** The greatest power that reserved nodes may draw, watts. */
  reserved: Step[];
  /** Of the price, as `EUR/MWh`. */
  priceUnit: string;
}

/** One agenda over a span, as it is known now or was `asOf` an instant. */
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

/** All agendas over a span, and what is reserved. */
export async function readAgendas(from: number, to: number, signal: AbortSignal): Promise<Agendas> {
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
