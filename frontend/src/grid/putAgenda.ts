// Puts an agenda, as a table, and withdraws a span of one.

import { api, unwrap } from '../api/client';
import type { AgendaPut, Co2AccountingDocument } from '../api/schema';
import { iso } from '../time/words';
import type { Quantity } from '../ui/readAgendas';
import type { Span } from '../ui/steps';

export type Quality = 'forecast' | 'measured' | 'estimated';

/** Replaces the span that a table covers; CO₂ is counted as the agenda is, where that is known. */
export function putAgenda(
  quantity: Quantity,
  table: string,
  quality: Quality,
  counted: Co2AccountingDocument | null,
): Promise<AgendaPut> {
  const kind: 'average' | 'marginal' = counted?.accounting === 'marginal' ? 'marginal' : 'average';
  const params = { path: { quantity }, query: { quality, ...(quantity === 'co2' && counted ? { kind } : {}) } };
  const headers = { 'Content-Type': 'text/csv' };
  // The description has JSON first; a table is sent as it is, so that errors name its lines.
  return unwrap(api.PUT('/api/v1/agendas/{quantity}', { params, headers, body: table as never, bodySerializer: () => table }));
}

/** Withdraws what is known of a span. */
export function withdrawAgenda(quantity: Quantity, { start, end }: Span): Promise<AgendaPut> {
  const params = { path: { quantity }, query: { from: iso(start), to: iso(end) } };
  return unwrap(api.DELETE('/api/v1/agendas/{quantity}', { params }));
}
