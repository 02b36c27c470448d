// A reservation as a calendar file.

import type { ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { carbon, energy, money } from '../units/format';
import { accountingWords } from './accounting';
import { download } from './download';
import { calendar } from './ics';
import { nodeWords } from './nodeWords';
import { chosenOffer } from './offers';

/** Hands the browser a calendar file of a reservation whose offer is chosen. */
export function saveCalendar(reservation: ReservationDocument, now: number): void {
  const offer = chosenOffer(reservation);
  if (!offer) return;
  const texts = language.texts.ui.calendar;
  const text = calendar(
    [
      {
        id: reservation.id,
        start: Date.parse(offer.start),
        end: Date.parse(offer.end),
        summary: texts.summary(offer.node_count),
        description: texts.description(
          nodeWords(offer), energy(offer.energy_j), money(offer.cost, offer.currency), carbon(offer.co2_g),
          accountingWords(reservation.co2_accounting), reservation.id,
        ),
      },
    ],
    now,
  );
  download(`wattbook-${reservation.id}.ics`, 'text/calendar', text);
}
