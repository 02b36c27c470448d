// A reservation as a calendar file.

import type { ReservationDocument } from '../api/schema';
import { carbon, count, energy, money } from '../units/format';
import { download } from './download';
import { calendar } from './ics';
import { nodeWords } from './nodeWords';
import { chosenOffer } from './offers';

/** Hands the browser a calendar file of a reservation whose offer is chosen. */
export function saveCalendar(reservation: ReservationDocument, now: number): void {
  const offer = chosenOffer(reservation);
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
