// Series of reservations, as the service has them.

import { ask, failure, getJson, sendJson } from './client';
import { base } from './base';
import type { SeriesDocument, SeriesPage, SeriesRequest, Series } from './shapes';

const ROUTE = '/api/v1/series';
const MOST = 1000;

/** `key` makes a repeated try the same series. */
export async function makeSeries(request: SeriesRequest, key: string): Promise<SeriesDocument> {
  return (await sendJson<SeriesDocument>('POST', ROUTE, request, { 'Idempotency-Key': key })) as SeriesDocument;
}

/** Those that one sees, a thousand at most. */
export async function readAllSeries(signal: AbortSignal): Promise<Series[]> {
  const found: Series[] = [];
  let cursor = '';
  do {
    const page: SeriesPage = await getJson<SeriesPage>(`${ROUTE}?limit=200${cursor && `&cursor=${cursor}`}`, signal);
    found.push(...page.items);
    cursor = page.next_cursor ?? '';
  } while (cursor && found.length < MOST);
  return found;
}

export interface SeriesVersion {
  series: SeriesDocument;
  etag: string;
}

export async function readSeries(id: string, signal: AbortSignal): Promise<SeriesVersion> {
  const answer = await ask(new Request(`${base}${ROUTE}/${id}`, { signal }));
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok) throw failure(body, answer.status);
  return { series: body as SeriesDocument, etag: answer.headers.get('ETag') ?? '' };
}

/** Changes what is to come of it, of this version only. */
export const patchSeries = ({ series, etag }: SeriesVersion, patch: unknown) =>
  sendJson('PATCH', `${ROUTE}/${series.id}`, patch, { 'If-Match': etag });

/** Ends it: what has not begun is cancelled, what runs goes on. */
export const endSeries = (id: string) => sendJson('DELETE', `${ROUTE}/${id}`);

export const skipOccurrence = (id: string, occurrence: string) =>
  sendJson('DELETE', `${ROUTE}/${id}/occurrences/${encodeURIComponent(occurrence)}`);
