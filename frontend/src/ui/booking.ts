// From an offer to a reservation: propose, see that it is still the same offer, choose it.

import { Failure, api, unwrap } from '../api/client';
import type {
  HeldOffer,
  OfferDocument,
  QuoteRequest,
  ReservationDocument,
  ReservationRequest,
  ShownOffer,
} from '../api/schema';
import { language } from '../texts/language.svelte';
import { sameOffer } from './offers';

/** What an offer is on the page: the service books this or nothing. */
export function shown({ start, end, node_count, energy_j, cost, co2_g }: OfferDocument): ShownOffer {
  return { start, end, node_count, energy_j, cost, co2_g };
}

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

/** Confirms an offer that is held. Where it is no longer what was shown, the service refuses. */
export function choose(reservation: string, offer: HeldOffer): Promise<ReservationDocument> {
  const params = { path: { id: reservation } };
  const body = { offer_id: offer.offer_id, expected: shown(offer) };
  return unwrap(api.POST('/api/v1/reservations/{id}/choose', { params, body }));
}

/** Cancels a reservation: what it holds is free again. */
export async function cancel(reservation: string): Promise<void> {
  const params = { path: { id: reservation } };
  await unwrap(api.DELETE('/api/v1/reservations/{id}', { params }));
}

/** Books an offer of a quote for a request. Where it is no longer what there is, the service holds nothing. */
export async function book(request: ReservationRequest, offer: OfferDocument, key: string): Promise<ReservationDocument> {
  const reservation = await hold({ ...request, expected: shown(offer) }, key);
  const same = reservation.offers.find((held) => sameOffer(held, offer));
  if (same) return choose(reservation.id, same);
  await cancel(reservation.id);
  throw new Failure('offer_changed', language.texts.ui.booking.offerChanged);
}

/** Whether a failure means that the request has become impossible. */
export const isImpossible = (error: unknown) =>
  error instanceof Failure && error.code === 'impossible';
