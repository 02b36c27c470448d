// What happens at the service, told as it happens: one stream for the whole page, open while the page is
// looked at. It goes on where it broke off, so that nothing is missed.

import { base } from './base';
import { askAtOnce } from './client';
import { connection } from './connection.svelte';
import { gate } from './gate';
import { readEvents, type ServiceEvent } from './sse';

/** What an event is about, the part before the dot. */
export type Subject = 'reservation' | 'book' | 'agenda' | 'outage' | 'nodes' | 'feed' | 'simulation' | 'outlooks'
  | 'grants' | 'negotiation' | 'power' | 'power_action' | 'calibration' | 'series';

/** What changes who holds which nodes when. */
export const BOOK: readonly Subject[] = ['reservation', 'book', 'outage', 'nodes', 'grants'];

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

let flowing = $state(false);
let listeners: { subjects: readonly Subject[]; listener: () => void }[] = [];
let last = '';
/** Ends the pause before the next try. */
let hurry = () => {};

function tell({ type, id }: ServiceEvent) {
  last = id;
  const subject = type.split('.')[0] ?? '';
  if (subject === 'stream' && gate.open()) return;
  for (const { subjects, listener } of listeners) {
    // The stream itself speaks where something may have been missed.
    if (subject === 'stream' || (subjects as readonly string[]).includes(subject)) listener();
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
  on(subjects: readonly Subject[], listener: () => void): () => void {
    const entry = { subjects, listener };
    listeners.push(entry);
    return () => {
      listeners = listeners.filter((it) => it !== entry);
    };
  },
  /** Opens the stream while the page is looked at; gives back how to stop. For who asks now. */
  start(): () => void {
    last = '';
    gate.close();
    let stop: AbortController | null = null;
    const look = () => {
      if (document.visibilityState === 'visible') {
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
    return () => {
      document.removeEventListener('visibilitychange', look);
      back();
      stop?.abort();
      flowing = false;
      hurry();
    };
  },
};
