// Reads the agendas over a span, and what is reserved.

import { Failure, api, unwrap } from '../api/client';
import { readSite } from '../api/site';
import type { AgendaDocument, Co2AccountingDocument, PowerProfileDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { DAY, iso } from '../time/words';
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
  /** How CO₂ is counted, where that is known and the same for all of it. */
  co2Counted: Co2AccountingDocument | null;
}

/** CO₂ as nothing is planned by it, and how it is counted. */
export interface OtherCo2 {
  counted: Co2AccountingDocument;
  steps: Step[];
}

/** One agenda over a span, as it is known now or was `asOf` an instant. */
export async function readAgenda(
  quantity: Quantity,
  from: number,
  to: number,
  signal: AbortSignal,
  asOf?: number,
  accounting?: 'average' | 'marginal',
): Promise<AgendaDocument> {
  const query = {
    from: iso(from),
    to: iso(to),
    ...(asOf ? { as_of: iso(asOf) } : {}),
    ...(accounting ? { accounting } : {}),
  };
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
  return { price: steps(price), co2: steps(co2), ...powers(profile), estimated, priceUnit: price.unit, co2Counted: co2.co2_accounting ?? null };
}

/** The longest span of the other accounting that the service tells at once. */
const LONGEST_OTHER = 31 * DAY;

/** CO₂ by the other accounting over a span; null where the site knows none. */
export async function readOtherCo2(from: number, to: number, signal: AbortSignal): Promise<OtherCo2 | null> {
  const counted = (await readSite(signal)).other_co2_accounting;
  if (!counted) return null;
  const accounting = counted.accounting === 'marginal' ? 'marginal' : 'average';
  const parts: Promise<AgendaDocument>[] = [];
  for (let at = from; at < to; at += LONGEST_OTHER) {
    parts.push(readAgenda('co2', at, Math.min(at + LONGEST_OTHER, to), signal, undefined, accounting));
  }
  return { counted, steps: (await Promise.all(parts)).flatMap(steps) };
}

function readProfile(from: number, to: number, signal: AbortSignal): Promise<PowerProfileDocument> {
  const params = { query: { from: iso(from), to: iso(to) } };
  return unwrap(api.GET('/api/v1/power-profile', { params, signal }));
}
