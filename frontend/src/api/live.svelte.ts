// Something read from the service and kept fresh while it is looked at.

import { tick } from 'svelte';

import { age } from './age.svelte';
import { isUnreachable, words } from './client';
import { coalesced } from './coalesce';
import { connection } from './connection.svelte';
import { events, type Topic } from './events.svelte';
import { usualGap, type Freshness } from './freshness';

/** How soon after an event is read, and how often at the most, however much happens. */
const SOON = 150;
const GAP = 2000;

/** How soon what failed is tried again, the longer the more often it failed. */
export const retryAfter = (failures: number) => 5000 * 2 ** Math.min(failures - 1, 4);

/**
 * Reads now, when `load`'s state changes, when something happened of one of the topics, and when a
 * lost connection, or the service's database, is back. What was read stays while the next is on its way, or fails. To be called while
 * a component is made.
 */
export function live<T>(
  load: (signal: AbortSignal) => Promise<T>,
  topics: readonly Topic[],
  freshness: Freshness = {},
) {
  let data = $state.raw<T>();
  let error = $state('');
  let at = $state(0);
  let round = $state(0);
  let asked = 0;
  /** How often reading failed since it went well. */
  let failures = 0;
  let reading: Promise<unknown> = Promise.resolve();

  $effect(() => {
    void round;
    const stop = new AbortController();
    asked = Date.now();
    reading = load(stop.signal)
      .then((answer) => {
        if (stop.signal.aborted) return;
        [data, error, at] = [answer, '', Date.now()];
        failures = 0;
      })
      .catch((thrown: unknown) => {
        if (stop.signal.aborted) return;
        failures += 1;
        // That the service is out of reach is told once, above the page, which goes on by itself then.
        error = isUnreachable(thrown) ? '' : words(thrown);
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
      const usual = usualGap(events.flowing && age.asOf === null, freshness);
      const old = Date.now() - asked >= (failures > 0 ? Math.min(usual, retryAfter(failures)) : usual);
      if (old && events.wanted && !connection.lost) again.poke();
    }, 1000);
    const stops = [events.on(topics, again.poke), connection.onBack(again.poke), age.onFresh(again.poke)];
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
