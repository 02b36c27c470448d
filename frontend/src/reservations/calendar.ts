// A reservation's entry in a calendar.

import type { HeldOffer, ReservationDocument } from '../api/schema';
import { calendar } from '../plan/ics';
import { download } from '../ui/download';
import { nodeWords } from '../ui/nodeWords';
import { carbon, count, energy, money } from '../units/format';

export function chosen(reservation: ReservationDocument): HeldOffer | null {
  return reservation.offers.find((it) => it.offer_id === reservation.chosen_offer_id) ?? null;
}

/** Hands over a calendar file of one reservation. */
export function saveCalendar(reservation: ReservationDocument, now: number): void {
  const offer = chosen(reservation);
  if (!offer) return;
  const text = calendar(
    [
      {
        id: reservation.id,
        start: Date.parse(offer.start),
        end: Date.parse(offer.end),
        summary: `Wattbook: ${count(offer.node_count, 'node')}`,
        description: `${nodeWords(offer)}\n${energy(offer.energy_j)}, ${money(offer.cost, offer.currency)}, ${carbon(offer.co2_g)} CO2\nReservation ${reservation.id}`,
      },
    ],
    now,
  );
  download(`wattbook-${reservation.id}.ics`, 'text/calendar', text);
}
