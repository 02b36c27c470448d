// What happens at the service, told as it happens: one stream for the whole page, open while the page is
// looked at or alerts somebody. It goes on where it broke off, so that nothing is missed.

import { base } from './base';
import { askAtOnce } from './client';
import { connection } from './connection.svelte';
import { gate } from './gate';
import { readEvents, type ServiceEvent } from './sse';

/** What an event is about, the part before the dot. */
export type Subject = 'reservation' | 'book' | 'agenda' | 'outage' | 'nodes' | 'feed' | 'simulation' | 'outlooks' | 'clock'
  | 'grants' | 'negotiation' | 'power' | 'power_action' | 'calibration' | 'series' | 'quota' | 'managed_reservation' | 'managed_node';

/** All events of a subject, or one kind of them, such as `reservation.degraded`. */
export type Topic = Subject | `${Subject}.${string}`;

/** What changes who holds which nodes when. */
export const BOOK: readonly Subject[] = ['reservation', 'book', 'outage', 'nodes', 'grants'];

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

let flowing = $state(false);
/** Whether what happens is told also while the page is not looked at. */
let kept = false;
type Listener = (event: ServiceEvent) => void;

let listeners: { topics: readonly Topic[]; listener: Listener }[] = [];
let last = '';
/** Ends the pause before the next try. */
let hurry = () => {};
/** Opens the stream where it is wanted, and else closes it. */
let look = () => {};

function tell(event: ServiceEvent) {
  const { type, id } = event;
  last = id;
  const subject = type.split('.')[0] ?? '';
  if (subject === 'stream' && gate.open()) return;
  for (const { topics, listener } of listeners) {
    const isWanted = (topics as readonly string[]).some((it) => it === subject || it === type);
    // The stream itself speaks where something may have been missed.
    if (subject === 'stream' || isWanted) listener(event);
  }
}

function pause(length: number): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, length);
    hurry = () => {
      clearTimeout(timer);
      done();
    };
  });
}

/** Another stream, read to its end. */
export async function follow(route: string, stop: AbortSignal, tell: (event: ServiceEvent) => void): Promise<void> {
  const answer = await askAtOnce(new Request(`${base}${route}`, { signal: stop, cache: 'no-store' }));
  if (answer.ok) await readEvents(answer, tell);
}

/** Opens the stream again and again until told to stop. */
async function keepOpen(stop: AbortSignal) {
  let wait = FIRST_WAIT;
  while (!stop.aborted) {
    try {
      const headers: Record<string, string> = last ? { 'Last-Event-ID': last } : {};
      const answer = await askAtOnce(new Request(`${base}/api/v1/events`, { headers, signal: stop, cache: 'no-store' }));
      if (answer.ok) {
        [flowing, wait] = [true, FIRST_WAIT];
        await readEvents(answer, tell);
      }
    } catch {
      // What is wrong is told by `askAtOnce`; the pages go on by asking from time to time.
    }
    flowing = false;
    gate.open();
    if (stop.aborted) return;
    await pause(wait * (1 + Math.random() / 2));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

export const events = {
  /** Whether what happens is being told. */
  get flowing() {
    return flowing;
  },
  /** Calls when something happened to one of these; gives back how to stop. */
  on(topics: readonly Topic[], listener: Listener): () => void {
    const entry = { topics, listener };
    listeners.push(entry);
    return () => {
      listeners = listeners.filter((it) => it !== entry);
    };
  },
  /** Whether anybody is to know what happens: somebody looks at the page, or is alerted by it. */
  get wanted() {
    return kept || document.visibilityState === 'visible';
  },
  /** Has the stream stay open while the page is not looked at, or no longer so. */
  keep(on: boolean) {
    if (kept === on) return;
    kept = on;
    look();
  },
  /** Opens the stream while it is wanted; gives back how to stop. For who asks now. */
  start(): () => void {
    last = '';
    gate.close();
    let stop: AbortController | null = null;
    look = () => {
      if (events.wanted) {
        if (stop) return;
        stop = new AbortController();
        void keepOpen(stop.signal);
      } else {
        stop?.abort();
        stop = null;
        flowing = false;
        hurry();
      }
    };
    look();
    document.addEventListener('visibilitychange', look);
    const back = connection.onBack(() => hurry());
    const looking = look;
    return () => {
      document.removeEventListener('visibilitychange', looking);
      look = () => {};
      back();
      stop?.abort();
      flowing = false;
      hurry();
    };
  },
};
