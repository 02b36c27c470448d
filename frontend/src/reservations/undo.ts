// Booking again what was just cancelled. A cancelled reservation stays cancelled: it is another one at the same start.

import type { HeldOffer, ReservationDocument, ReservationRequest } from '../api/schema';
import { chosenOffer } from '../ui/offers';

export interface SameAgain {
  request: ReservationRequest;
  offer: HeldOffer;
}

/**
 * What books the same start again; null where that would not be the same: of somebody else, of a series, shared, extended, with other
 * shapes, in a slower state, for a fee, or begun.
 */
export function sameAgain(reservation: ReservationDocument, me: string, now: number): SameAgain | null {
  const { request, owner, state, series, shared_with, project } = reservation;
  const offer = chosenOffer(reservation);
  if (!offer || state !== 'confirmed' || owner !== me || Date.parse(offer.start) <= now) return null;
  const length = (Date.parse(offer.end) - Date.parse(offer.start)) / 1000;
  const simple = request.duration_s === length && request.nodes === offer.node_count && !request.alternatives?.length;
  if (!simple || series || shared_with.length > 0 || offer.power_state || offer.extra_power_fee) return null;
  const same = { ...request, earliest_start: offer.start, latest_start: offer.start };
  return { request: project ? { ...same, project } : same, offer };
}
