// Reads the agendas over a span, and what is reserved.

import { Failure, api, unwrap } from '../api/client';
import type { AgendaDocument, PowerProfileDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { iso } from '../time/words';
import { estimatedSpans, powers, steps } from './agendas';
import type { Span, Step } from './steps';

export type Quantity = 'price' | 'co2' | 'power-cap';

/** All agendas over a span, as steps. */
export interface Agendas {
  price: Step[];
  co2: Step[];
  /** The cap with what was granted beyond it, watts. */
  cap: Step[];
  /** The greatest power that reserved nodes may draw, watts. */
  reserved: Step[];
  /** Where each is an estimate. */
  estimated: { price: Span[]; co2: Span[]; cap: Span[] };
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
  if (typeof answer === 'string') throw new Failure('unreadable', language.texts.ui.agendas.asTable);
  return answer;
}

/** All agendas over a span, and what is reserved. */
export async function readAgendas(from: number, to: number, signal: AbortSignal): Promise<Agendas> {
  const [price, co2, cap, profile] = await Promise.all([
    readAgenda('price', from, to, signal),
    readAgenda('co2', from, to, signal),
    // What the profile has no word of: where the cap is from.
    readAgenda('power-cap', from, to, signal),
    readProfile(from, to, signal),
  ]);
  const estimated = { price: estimatedSpans(price), co2: estimatedSpans(co2), cap: estimatedSpans(cap) };
  return { price: steps(price), co2: steps(co2), ...powers(profile), estimated, priceUnit: price.unit };
}

function readProfile(from: number, to: number, signal: AbortSignal): Promise<PowerProfileDocument> {
  const params = { query: { from: iso(from), to: iso(to) } };
  return unwrap(api.GET('/api/v1/power-profile', { params, signal }));
}
