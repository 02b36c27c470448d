// Something read from the service and kept fresh while it is looked at.

import { tick } from 'svelte';

import { words } from './client';
import { coalesced } from './coalesce';
import { connection } from './connection.svelte';
import { events, type Subject } from './events.svelte';

/** How soon after an event is read, and how often at the most, however much happens. */
const SOON = 150;
const GAP = 2000;

/** How often is read where nothing tells what happens, and in any case. */
const POLL = 10_000;
const ALWAYS = 300_000;

export interface Freshness {
  /** Milliseconds after which it is read in any case, for what grows old by itself. */
  every?: number;
}

/**
 * Reads now, when `load`'s state changes, when something happened to one of the subjects, and when a
 * lost connection is back. What was read stays while the next is on its way, or fails. To be called while
 * a component is made.
 */
export function live<T>(
  load: (signal: AbortSignal) => Promise<T>,
  subjects: readonly Subject[],
  { every = ALWAYS }: Freshness = {},
) {
  let data = $state.raw<T>();
  let error = $state('');
  let at = $state(0);
  let round = $state(0);
  let asked = 0;
  let reading: Promise<unknown> = Promise.resolve();

  $effect(() => {
    void round;
    const stop = new AbortController();
    asked = Date.now();
    reading = load(stop.signal)
      .then((answer) => {
        if (stop.signal.aborted) return;
        [data, error, at] = [answer, '', Date.now()];
      })
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) error = words(thrown);
      });
    return () => stop.abort();
  });
  $effect(() => {
    const again = coalesced(
      async () => {
        round += 1;
        await tick();
        await reading;
      },
      SOON,
      GAP,
    );
    const timer = setInterval(() => {
      const old = Date.now() - asked >= (events.flowing ? every : Math.min(POLL, every));
      if (old && document.visibilityState === 'visible' && !connection.lost) again.poke();
    }, 1000);
    const stops = [events.on(subjects, again.poke), connection.onBack(again.poke)];
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
      again.stop();
    };
  });

  return {
    get data() {
      return data;
    },
    get error() {
      return error;
    },
    /** When it was read. */
    get at() {
      return at;
    },
    refresh() {
      round += 1;
    },
  };
}
