// Reads feeds, and asks them anew.

import { api, unwrap } from '../api/client';
import type { AgreementDocument, FeedRevisionDocument, FeedsDocument } from '../api/schema';
import type { Quantity } from '../ui/readAgendas';

export const readFeeds = (signal: AbortSignal): Promise<FeedsDocument> =>
  unwrap(api.GET('/api/v1/feeds', { signal }));

export async function readRevisions(id: string, signal: AbortSignal): Promise<FeedRevisionDocument[]> {
  const params = { path: { id }, query: { limit: 20 } };
  return (await unwrap(api.GET('/api/v1/feeds/{id}/revisions', { params, signal }))).items;
}

/** Which sources of an agenda were right in the last week. */
export const readAgreement = (quantity: Quantity, signal: AbortSignal): Promise<AgreementDocument> =>
  unwrap(api.GET('/api/v1/agendas/{quantity}/agreement', { params: { path: { quantity } }, signal }));

/** Asks a source anew; when it will be, in milliseconds since the epoch. */
export async function refresh(id: string): Promise<number> {
  const answer = await unwrap(api.POST('/api/v1/feeds/{id}/refresh', { params: { path: { id } } }));
  return Date.parse(answer.earliest_poll_at);
}
