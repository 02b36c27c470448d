// Quotes while somebody types: asked for a moment after the last change, an older one given up.

import { Failure, api, isUnreachable, unwrap, words } from '../api/client';
import { coalesced } from '../api/coalesce';
import { connection } from '../api/connection.svelte';
import { BOOK, events } from '../api/events.svelte';
import type { DecisionDocument, PlacedError, QuoteRequest } from '../api/schema';
import type { FormRequest } from './form';

const PAUSE = 180;

/** However much happens at the service, an answer stands still for so long. */
const GAP = 5000;

export interface Quote {
  /** What it answers. */
  formRequest: FormRequest;
  decision: DecisionDocument;
  /** When it came. */
  at: number;
}

/** What is possible for a request; holds nothing. */
export function quote(request: QuoteRequest, signal?: AbortSignal): Promise<DecisionDocument> {
  const body = { ...request, pareto_nodes: false };
  return unwrap(api.POST('/api/v1/quotes', { body, signal: signal ?? null }));
}

/** The quote for a request that changes. To be called while a component is made. */
export function quotes(current: () => FormRequest | null) {
  let answer = $state.raw<Quote>();
  let error = $state('');
  let places = $state.raw<PlacedError[]>([]);
  let asking = $state(false);
  let round = $state(0);

  $effect(() => {
    const formRequest = current();
    void round;
    if (!formRequest) return;
    const stop = new AbortController();
    asking = true;
    const timer = setTimeout(() => {
      quote({ ...formRequest.request, explain: true } as QuoteRequest, stop.signal)
        .then((decision) => {
          if (stop.signal.aborted) return;
          answer = { formRequest, decision, at: Date.now() };
          [error, places, asking] = ['', [], false];
        })
        .catch((thrown: unknown) => {
          if (stop.signal.aborted) return;
          asking = false;
          if (isUnreachable(thrown)) {
            [error, places] = ['', []];
            return;
          }
          places = thrown instanceof Failure ? thrown.errors : [];
          error = thrown instanceof Failure && places.length > 0 ? thrown.words : words(thrown);
        });
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
  $effect(() => {
    const again = coalesced(async () => void (round += 1), PAUSE, GAP);
    const stops = [events.on([...BOOK, 'agenda'], again.poke), connection.onBack(again.poke), again.stop];
    return () => stops.forEach((stop) => stop());
  });

  return {
    get answer() {
      return answer;
    },
    get error() {
      return error;
    },
    /** What is wrong with the request, by place in it. */
    get places() {
      return places;
    },
    get asking() {
      return asking;
    },
    refresh() {
      round += 1;
    },
  };
}
