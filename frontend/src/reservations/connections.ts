// What a reservation has to do with.

import type { BasisDocument, NegotiationDocument, ReservationDocument } from '../api/schema';
import { chosenOffer } from '../ui/offers';

/** Whether a negotiation is about the power of a reservation. */
export function isAbout({ kind, subject }: NegotiationDocument, id: string): boolean {
  if (kind !== 'extra_power') return false;
  const { reservations = [], degraded = [] } = subject as { reservations?: { id: string }[]; degraded?: string[] };
  return degraded.includes(id) || reservations.some((it) => it.id === id);
}

/** What its chosen offer rests on, else all its offers: of what can be said alike of several, what came last. */
export function restsOn(reservation: ReservationDocument): BasisDocument[] {
  const offer = chosenOffer(reservation);
  const all = offer?.basis ? offer.basis.flatMap((at) => reservation.basis[at] ?? []) : reservation.basis;
  const newest = new Map<string, BasisDocument>();
  for (const it of all) {
    const key = `${it.quantity} ${it.source} ${it.standing} ${it.quality}`;
    const before = newest.get(key);
    if (!before || (it.received_at ?? '') > (before.received_at ?? '')) newest.set(key, it);
  }
  return [...newest.values()];
}
