// What is done with reservations on a page, and what came of it, told once.

import { tick } from 'svelte';

import { words } from '../api/client';
import type { HeldOffer, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { cancel, choose, isImpossible } from '../ui/booking';
import { planAgain } from '../ui/planAgain';
import { sameAgain, type SameAgain } from './undo';

const texts = () => language.texts.reservations.attempts;

/** To be called while a component is made. `reread` reads a reservation again; `name` is who one is, where that is known. */
export function attempts(reread: (id: string) => Promise<unknown>, name: () => string | undefined) {
  let message = $state('');
  let error = $state('');
  /** The plan for what was cancelled last. */
  let again = $state<string | null>(null);
  /** What books again what was cancelled last. */
  let same = $state.raw<SameAgain | null>(null);
  let place: HTMLElement | undefined = $state();

  /** Does something with a reservation, tells what was done, and leaves the focus there. */
  async function attempt(id: string, work: () => Promise<unknown>, done: string) {
    [message, error, again, same] = ['', '', null, null];
    try {
      await work();
      message = done;
    } catch (thrown) {
      error = words(thrown);
    }
    await tick();
    place?.focus();
    await reread(id);
  }

  return {
    get message() {
      return message;
    },
    get error() {
      return error;
    },
    get again() {
      return again;
    },
    get same() {
      return same;
    },
    /** Where it is told. */
    get place() {
      return place;
    },
    set place(element) {
      place = element;
    },
    choose(reservation: ReservationDocument, offer: HeldOffer) {
      return attempt(reservation.id, () => choose(reservation.id, offer), texts().booked);
    },
    async cancel(reservation: ReservationDocument) {
      await attempt(reservation.id, () => cancel(reservation.id), texts().cancelled);
      if (error) return;
      again = planAgain(reservation);
      const who = name();
      same = who === undefined ? null : sameAgain(reservation, who, Date.now());
    },
    /** Books again what was cancelled last, as a new reservation. */
    async bookAgain(work: () => Promise<ReservationDocument>) {
      [message, error, again, same] = ['', '', null, null];
      try {
        const made = await work();
        message = texts().bookedAgain;
        await reread(made.id);
      } catch (thrown) {
        error = texts().staysCancelled(isImpossible(thrown) ? texts().noLongerFree : words(thrown));
      }
      await tick();
      place?.focus();
    },
    /** Tells what was changed elsewhere on the page. */
    changed(id: string, done: string) {
      [message, error, again, same] = [done, '', null, null];
      void reread(id);
    },
  };
}

export type Attempts = ReturnType<typeof attempts>;
