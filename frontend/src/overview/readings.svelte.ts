// Reads what the overview shows beside what may need somebody, as far as the caller may read it.

import { api, unwrap } from '../api/client';
import { BOOK, type Topic } from '../api/events.svelte';
import { readSite } from '../api/site';
import { DAY, HOUR, MINUTE, iso } from '../time/words';
import { clock } from '../ui/clock.svelte';
import { monthStart } from './figures';
import { areThere, errorsOf, reading } from './reading.svelte';

/** More reservations than this in a day are counted, and not read one by one. */
const MOST_RESERVATIONS = 2000;
const QUARTER = 15 * MINUTE;
/** Quarter-hours of a day. */
const COLUMNS = 96;
/** Documents of reservations are large. */
const MOST_DOCUMENTS = 200;
const limit = 1000;

/** What changes which requests were not decided. */
const DECISIONS = ['proposed', 'awaiting_supplier', 'confirmed', 'cancelled', 'expired', 'rejected', 'withdrawn'].map(
  (state): Topic => `reservation.${state}`,
);

/** To be called while a component is made. `isManaged`: whether there is a Slurm. */
export function readings(isManaged: () => boolean) {
  const quarter = $derived(Math.floor(clock.now / QUARTER) * QUARTER);
  const times = $derived({ from: iso(quarter), to: iso(quarter + DAY) });

  const site = reading('site.read', readSite, []);
  const profile = reading('power_profile.read', (signal) => {
    const query = { ...times, columns: 5 * COLUMNS };
    return unwrap(api.GET('/api/v1/power-profile', { params: { query }, signal }));
  }, [...BOOK, 'agenda']);
  const book = reading('schedule.read', async (signal) => {
    const query = { ...times, rows: 1, columns: COLUMNS };
    const occupancy = await unwrap(api.GET('/api/v1/occupancy', { params: { query }, signal }));
    if (occupancy.reservations > MOST_RESERVATIONS) return { occupancy, items: null };
    return { occupancy, items: (await unwrap(api.GET('/api/v1/schedule', { params: { query: times }, signal }))).items };
  }, BOOK);
  const undecided = reading('reservation.read', async (signal) => {
    const query = { state: 'proposed,awaiting_supplier', limit: MOST_DOCUMENTS };
    const page = await unwrap(api.GET('/api/v1/reservations', { params: { query }, signal }));
    return { items: page.items, isAll: !page.next_cursor };
  }, DECISIONS);
  const managed = reading('reservation.read', async (signal) => {
    const query = { state: 'confirmed,active', ...times, limit: MOST_DOCUMENTS };
    const page = await unwrap(api.GET('/api/v1/reservations', { params: { query }, signal }));
    return { items: page.items, isAll: !page.next_cursor };
  }, ['managed_reservation'], { every: MINUTE, isWanted: isManaged });
  const switched = reading('power_action.read', async (signal) => {
    const query = { state: 'final' as const, limit };
    return (await unwrap(api.GET('/api/v1/power-actions', { params: { query }, signal }))).actions;
  }, ['nodes', 'power_action']);
  const month = $derived(monthStart(quarter, site.data?.time_zone ?? 'UTC'));
  const report = reading('ledger.read', (signal) => {
    return unwrap(api.GET('/api/v1/reports', { params: { query: { from: iso(month) } }, signal }));
  }, [], { every: HOUR, isWanted: () => site.data != null });

  const all = { site, profile, book, undecided, managed, switched, report };
  return {
    all,
    /** The time that is looked at. */
    get view() {
      return { from: quarter, to: quarter + DAY };
    },
    get isThere() {
      return areThere(all);
    },
    get errors() {
      return errorsOf(all);
    },
  };
}
