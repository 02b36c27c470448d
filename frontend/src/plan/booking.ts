// From an offer to a reservation: propose, see that it is still the same offer, choose it.

import { Failure, api, unwrap } from '../api/client';
import type { HeldOffer, OfferDocument, QuoteRequest, ReservationDocument, ReservationRequest } from '../api/schema';
import { sameOffer } from './offers';

/** Holds the offers for a request. `key` makes a repeated try the same reservation. */
export function hold(request: ReservationRequest, key: string): Promise<ReservationDocument> {
  const header = { 'Idempotency-Key': key };
  return unwrap(api.POST('/api/v1/reservations', { params: { header }, body: request }));
}

/** Has the supplier asked for the power that a request lacks, for a fee of `limit` at most. */
export function askSupplier(request: QuoteRequest, limit: number, key: string): Promise<ReservationDocument> {
  const fee = limit > 0 ? { extra_power_fee_limit: limit } : {};
  return hold({ ...request, on_cap: 'negotiate', ...fee }, key);
}

export function readReservation(id: string, signal: AbortSignal): Promise<ReservationDocument> {
  return unwrap(api.GET('/api/v1/reservations/{id}', { params: { path: { id } }, signal }));
}

export function choose(reservation: string, offer: HeldOffer): Promise<ReservationDocument> {
  const params = { path: { id: reservation } };
  const body = { offer_id: offer.offer_id };
  return unwrap(api.POST('/api/v1/reservations/{id}/choose', { params, body }));
}

export async function cancel(reservation: string): Promise<void> {
  const params = { path: { id: reservation } };
  await unwrap(api.DELETE('/api/v1/reservations/{id}', { params }));
}

export interface Booked {
  reservation: ReservationDocument;
  /** Whether the offer was taken by somebody meanwhile: these are others, held, to choose from. */
  changed: boolean;
}

/** Books an offer of a quote, or holds what there is instead of it. */
export async function book(request: QuoteRequest, offer: OfferDocument, key: string): Promise<Booked> {
  const reservation = await hold(request, key);
  const same = reservation.offers.find((held) => sameOffer(held, offer));
  if (!same) return { reservation, changed: true };
  return { reservation: await choose(reservation.id, same), changed: false };
}

/** Whether a failure means that the request has become impossible. */
export const isImpossible = (error: unknown) =>
  error instanceof Failure && error.code === 'impossible';
