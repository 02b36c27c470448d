// The reservations of a view while it is looked at. An event reads what it is about, and no more.

import { api, unwrap } from '../api/client';
import { coalesced } from '../api/coalesce';
import { events } from '../api/events.svelte';
import { Failure } from '../api/failure';
import { live } from '../api/live.svelte';
import type { ReservationDocument } from '../api/schema';
import { readReservation } from '../ui/booking';
import { merged, type Reread } from './list';

const PAGE = 500;
const MOST = 2000;
/** Where more were changed at once, all are read. */
const MOST_CHANGED = 20;
const SOON = 150;
const GAP = 1000;
/** What is expected of all of them changes with every agenda: it is read so long after, and no more often. */
const OUTLOOKS_DELAY = 20_000;
const OUTLOOKS_GAP = 60_000;

export interface Wanted {
  /** Only in these states, with commas. */
  states: string;
  /** Whether the newest come first, for lists that may be too long to be read. */
  newest: boolean;
  owner?: string;
  project?: string;
}

interface Read {
  items: ReservationDocument[];
  more: boolean;
  /** When it was begun, and what was wanted. */
  began: number;
  wanted: string;
}

/** To be called while a component is made. Nothing is read while it is not known what is wanted. */
export function reservations(wanted: () => Wanted | null) {
  let again = $state.raw<ReadonlyMap<string, Reread>>(new Map());
  const changed = new Map<string, string>();

  const base = live(async (signal): Promise<Read | null> => {
    const asked = wanted();
    if (!asked) return null;
    const { states, newest, owner, project } = asked;
    const read: Read = { items: [], more: false, began: Date.now(), wanted: JSON.stringify(asked) };
    let cursor: string | undefined;
    do {
      const query = { limit: PAGE, state: states, newest, ...(owner ? { owner } : {}), ...(project ? { project } : {}), ...(cursor ? { cursor } : {}) };
      const page = await unwrap(api.GET('/api/v1/reservations', { params: { query }, signal }));
      read.items.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor && read.items.length < MOST);
    return { ...read, more: cursor !== undefined };
  }, []);

  async function readOne(id: string): Promise<ReservationDocument | null> {
    return readReservation(id, AbortSignal.timeout(20_000)).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'not_found') return null;
      throw error;
    });
  }
  async function readChanged() {
    const ids = [...changed.keys()];
    changed.clear();
    if (ids.length > MOST_CHANGED) {
      base.refresh();
      return;
    }
    const at = Date.now();
    const found = await Promise.all(ids.map(async (id): Promise<[string, Reread]> => [id, { at, reservation: await readOne(id) }])).catch(() => null);
    if (found) again = new Map([...again, ...found]);
    else base.refresh();
  }
  /** What was read is of another view until the next is there. */
  const read = $derived(base.data?.wanted === JSON.stringify(wanted()) ? base.data : null);
  const items = $derived(read ? merged(read.items, again, read.began) : []);

  $effect(() => {
    const soon = coalesced(readChanged, SOON, GAP);
    const stop = events.on(['reservation'], ({ data }) => {
      const { reservation_id: id, owner } = JSON.parse(data || '{}') as { reservation_id?: string; owner?: string };
      if (!id) return;
      const only = wanted()?.owner;
      // What others do is read where it is seen.
      if (only && owner !== only && !items.some((it) => it.id === id)) return;
      changed.set(id, id);
      soon.poke();
    });
    return () => {
      stop();
      soon.stop();
    };
  });
  $effect(() => {
    const later = coalesced(async () => base.refresh(), OUTLOOKS_DELAY, OUTLOOKS_GAP);
    const stop = events.on(['outlooks'], ({ type }) => type.startsWith('outlooks') && later.poke());
    return () => {
      stop();
      later.stop();
    };
  });

  return {
    get items() {
      return items;
    },
    /** Whether anything was read yet. */
    get loaded() {
      return read !== null;
    },
    get error() {
      return base.error;
    },
    /** Whether there are more than were read. */
    get more() {
      return read?.more ?? false;
    },
    /** Reads some of them again. */
    async reread(...ids: string[]) {
      for (const id of ids) changed.set(id, id);
      await readChanged();
    },
    refresh() {
      base.refresh();
    },
  };
}

export { MOST };
