// Series of reservations, as the service has them.

import { api, failure, unwrap } from './client';
import type { NewSeriesDocument, SeriesDocument, SeriesPatchDocument } from './schema';

const ROUTE = '/api/v1/series';
const MOST = 1000;

/** `key` makes a repeated try the same series. */
export const makeSeries = (body: NewSeriesDocument, key: string) =>
  unwrap(api.POST(ROUTE, { body, params: { header: { 'Idempotency-Key': key } } }));

/** Those that one sees, a thousand at most. */
export async function readAllSeries(signal: AbortSignal): Promise<SeriesDocument[]> {
  const found: SeriesDocument[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 200, ...(cursor ? { cursor } : {}) };
    const page = await unwrap(api.GET(ROUTE, { params: { query }, signal }));
    found.push(...page.items);
    cursor = page.next_cursor ?? null;
  } while (cursor && found.length < MOST);
  return found;
}

export interface SeriesVersion {
  series: SeriesDocument;
  etag: string;
}

export async function readSeries(id: string, signal: AbortSignal): Promise<SeriesVersion> {
  const { data, error, response } = await api.GET(`${ROUTE}/{id}`, { params: { path: { id } }, signal });
  if (data === undefined) throw failure(error, response.status);
  return { series: data, etag: response.headers.get('ETag') ?? '' };
}

/** Changes what is to come of it, of this version only. */
export const patchSeries = ({ series, etag }: SeriesVersion, body: SeriesPatchDocument) =>
  unwrap(api.PATCH(`${ROUTE}/{id}`, { body, params: { path: { id: series.id }, header: { 'If-Match': etag } } }));

/** Ends it: what has not begun is cancelled, what runs goes on. */
export const endSeries = (id: string) => unwrap(api.DELETE(`${ROUTE}/{id}`, { params: { path: { id } } }));

export const skipOccurrence = (id: string, occurrence: string) =>
  unwrap(api.DELETE(`${ROUTE}/{id}/occurrences/{occurrence}`, { params: { path: { id, occurrence } } }));
