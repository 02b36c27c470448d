// What reservations cost, read of those that somebody points at: the schedule itself does not say it.

import { SvelteMap } from 'svelte/reactivity';

import { readReservation } from '../ui/booking';
import { chosenOffer } from '../ui/offers';
import { money } from '../units/format';

/** How long somebody points at a bar before its cost is read, milliseconds. */
const REST = 200;

/** To be called while a component is made. */
export function costs() {
  const known = new SvelteMap<string, { cost: number; currency: string } | null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = '';
  $effect(() => () => clearTimeout(timer));

  async function read(id: string, offer: string) {
    try {
      const reservation = await readReservation(id, AbortSignal.timeout(10_000));
      const found = chosenOffer(reservation) ?? reservation.offers.find((it) => it.offer_id === offer);
      known.set(offer, found ?? null);
    } catch {
      // Others' reservations are not everybody's to read.
      known.set(offer, null);
    }
  }

  return {
    /** The cost of an offer in words; empty where it is not known, or not yet. */
    of(offer: string): string {
      const found = known.get(offer);
      return found ? money(found.cost, found.currency) : '';
    },
    /** Has the cost read of what is pointed at. */
    want(id: string, offer: string) {
      if (waiting === offer || known.has(offer)) return;
      clearTimeout(timer);
      waiting = offer;
      timer = setTimeout(() => void read(id, offer), REST);
    },
  };
}
