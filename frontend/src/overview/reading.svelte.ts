// Something that is read for who asks now, where it is wanted and they may read it.

import type { Topic } from '../api/events.svelte';
import type { Freshness } from '../api/freshness';
import { live } from '../api/live.svelte';
import { session } from '../api/session.svelte';
import { rights } from '../ui/rights.svelte';

export interface Reading<T> {
  /** Null where it is not wanted, or the caller may not read it; undefined until it is there. */
  readonly data: T | null | undefined;
  readonly error: string;
}

/** To be called while a component is made. `action` is what reading it takes. */
export function reading<T>(
  action: string,
  load: (signal: AbortSignal) => Promise<T>,
  topics: readonly Topic[],
  { isWanted = () => true, ...freshness }: Freshness & { isWanted?: () => boolean } = {},
): Reading<T> {
  const isRead = $derived(!session.wanted && rights.isKnown && rights.may(action) && isWanted());
  /** For whom it is read: what was read for others is not shown. */
  const asked = $derived(`${session.changes} ${rights.isKnown} ${isRead}`);
  const found = live(async (signal) => ({ asked, answer: isRead ? await load(signal) : null }), topics, freshness);
  return {
    get data() {
      return rights.isKnown && found.data?.asked === asked ? found.data.answer : undefined;
    },
    get error() {
      return isRead ? found.error : '';
    },
  };
}

/** Whether all of it is there, or could not be read. */
export const areThere = (all: Readonly<Record<string, Reading<unknown>>>): boolean =>
  Object.values(all).every((it) => it.data !== undefined || it.error !== '');

/** What could not be read, in words, each once. */
export const errorsOf = (all: Readonly<Record<string, Reading<unknown>>>): string[] => [
  ...new Set(Object.values(all).map((it) => it.error).filter((it) => it !== '')),
];
