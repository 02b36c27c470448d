// Reads what may need somebody: for whoever may do something about it on every page, since the navigation counts it,
// and for whoever may read it while the overview is looked at.

import { createContext } from 'svelte';

import { api, unwrap } from '../api/client';
import { session } from '../api/session.svelte';
import { DAY, iso } from '../time/words';
import { clock } from '../ui/clock.svelte';
import { readAgenda } from '../ui/readAgendas';
import { rights } from '../ui/rights.svelte';
import { route } from '../ui/route.svelte';
import { needs, type Answers } from './needs';
import { areThere, errorsOf, reading } from './reading.svelte';

/** How often is read what changes without an event, and what is measured. */
const OFTEN = 60_000;
const MEASURED = 10_000;
/** How many of each are read at the most. */
const limit = 1000;

/** For whoever may act on it, and for all who look at the overview. */
const actors = (action: string) => ({ isWanted: () => rights.may(action) || route.page === 'overview' });
const operators = { isWanted: () => rights.operates || route.page === 'overview' };

/** To be called while the page as a whole is made. */
export function readAnswers() {
  const all = {
    slurm: reading('site.read', (signal) => unwrap(api.GET('/api/v1/slurm', { signal })), ['nodes', 'outage', 'managed_reservation', 'managed_node'], {
      ...operators,
      every: OFTEN,
    }),
    feeds: reading('feed.read', (signal) => unwrap(api.GET('/api/v1/feeds', { signal })), ['feed', 'agenda'], { ...actors('feed.refresh'), every: OFTEN }),
    cap: reading('agenda.read', (signal) => readAgenda('power-cap', Date.now(), Date.now() + DAY, signal), ['agenda', 'grants'], actors('agenda.publish')),
    negotiations: reading('negotiation.read', async (signal) => {
      const query = { state: 'open' as const, limit };
      return (await unwrap(api.GET('/api/v1/negotiations', { params: { query }, signal }))).items;
    }, ['negotiation'], actors('negotiation.answer')),
    actions: reading('power_action.read', async (signal) => {
      const query = { state: 'open' as const, limit };
      return (await unwrap(api.GET('/api/v1/power-actions', { params: { query }, signal }))).actions;
    }, ['nodes', 'power_action'], operators),
    outages: reading('outage.read', async (signal) => (await unwrap(api.GET('/api/v1/outages', { params: { query: { limit } }, signal }))).items,
      ['nodes', 'outage'], actors('outage.declare')),
    meters: reading('meter.read', async (signal) => (await unwrap(api.GET('/api/v1/meters', { signal }))).meters, [], { every: OFTEN }),
    webhooks: reading('webhook.read', async (signal) => (await unwrap(api.GET('/api/v1/webhooks', { signal }))).items, [], { every: OFTEN }),
    power: reading('power.read', (signal) => unwrap(api.GET('/api/v1/power', { signal })), ['power', 'reservation', 'nodes'], { ...operators, every: MEASURED }),
    reservations: reading('reservation.read', async (signal) => {
      const query = { owner: rights.user, state: 'confirmed,active', from: iso(Date.now()), newest: true, limit };
      return (await unwrap(api.GET('/api/v1/reservations', { params: { query }, signal }))).items;
    }, ['reservation.degraded', 'reservation.restored', 'reservation.cancelled']),
  };
  const found = $derived(
    session.wanted || !rights.isKnown
      ? []
      : needs(Object.fromEntries(Object.entries(all).map(([name, { data }]) => [name, data])) as Answers, rights, clock),
  );

  return {
    all,
    get needs() {
      return found;
    },
    /** Whether all of it was read once, or could not be. */
    get isThere() {
      return areThere(all);
    },
    /** Whether all of it was read, so that what is not there needs nobody. */
    get isComplete() {
      return areThere(all) && errorsOf(all).length === 0;
    },
    get errors() {
      return errorsOf(all);
    },
  };
}

export const [answersOfPage, setAnswers] = createContext<ReturnType<typeof readAnswers>>();
