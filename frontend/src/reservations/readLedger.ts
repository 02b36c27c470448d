// Reads what came of a reservation: the ledger's rows and their sums.

import { api, unwrap } from '../api/client';
import type { Co2AccountingDocument, LedgerRowDocument, ReportRowDocument } from '../api/schema';
import { HOUR, iso } from '../time/words';
import { allOf } from '../ui/lookUp';

/** More rows than this are not read: they are all that operators see of these hours, not the reservation's alone. */
const MOST_PAGES = 10;

export interface ReservationLedger {
  sum: ReportRowDocument | null;
  /** The end of the newest hour that is stated, RFC 3339. */
  statedTo: string | null;
  rows: LedgerRowDocument[];
  /** How other CO₂ is counted in these hours. */
  otherCounted: Co2AccountingDocument | null;
  /** Whether there are more rows than were read. */
  more: boolean;
}

/** What the ledger has of a reservation between two instants; null before it begins. */
export async function readLedger(id: string, start: number, end: number, signal: AbortSignal): Promise<ReservationLedger | null> {
  const now = Date.now();
  const from = Math.floor(start / HOUR) * HOUR;
  if (from + HOUR > now) return null;
  // What is heard late counts in the hours that it is about, as long as their month is open.
  const times = { from: iso(from), to: iso(Math.min(now, Math.ceil(end / HOUR) * HOUR)) };
  const report = await unwrap(api.GET('/api/v1/reports', { params: { query: { ...times, by: 'reservation' } }, signal }));
  const sum = report.rows.find((it) => it.reservation === id) ?? null;
  const page = (cursor: string | undefined) =>
    unwrap(api.GET('/api/v1/ledger', { params: { query: { ...times, limit: 1000, ...(cursor ? { cursor } : {}) } }, signal }));
  const { items, more } = sum ? await allOf(page, MOST_PAGES) : { items: [], more: false };
  return { sum, statedTo: report.stated_to ?? null, rows: items, otherCounted: report.other_co2_accounting ?? null, more };
}
