// Reads a version of a reservation, and asks for a change of it.

import { api, failure, sendJson } from '../api/client';
import type { ReservationDocument } from '../api/schema';

/** A reservation with the version that a change of it is about. */
export interface Version {
  reservation: ReservationDocument;
  etag: string;
}

export async function readVersion(id: string, signal: AbortSignal): Promise<Version> {
  const answer = await api.GET('/api/v1/reservations/{id}', { params: { path: { id } }, signal });
  if (answer.data === undefined) throw failure(answer.error, answer.response.status);
  return { reservation: answer.data, etag: answer.response.headers.get('ETag') ?? '' };
}

/** Changes this version; where there is a newer one the service refuses. `patch` is the request itself. */
export function change({ reservation, etag }: Version, route: string, body?: unknown): Promise<unknown> {
  const [method, end] = route === 'patch' ? (['PATCH', ''] as const) : (['POST', `/${route}`] as const);
  return sendJson(method, `/api/v1/reservations/${reservation.id}${end}`, body, { 'If-Match': etag });
}
