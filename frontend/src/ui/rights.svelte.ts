// What whoever asks may do: nothing is offered that would be refused.

import { api, isUnreachable, unwrap, words } from '../api/client';
import { retryAfter } from '../api/live.svelte';
import { session } from '../api/session.svelte';
import type { RightsDocument } from '../api/schema';
import type { Page } from './address';

let known = $state.raw<RightsDocument>();
let problem = $state('');

/** The action without which a page says nothing. */
const NEEDED: Record<Page, string> = {
  overview: 'power_profile.read',
  plan: 'quote.create',
  reservations: 'reservation.read',
  schedule: 'schedule.read',
  nodes: 'node.read',
  grid: 'agenda.read',
  reports: 'ledger.read',
  simulate: 'simulation.read',
  account: 'me.read',
};

export const rights = {
  /** Reads them for who asks now, until they are known; gives back how to stop. */
  read(): () => void {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    [known, problem] = [undefined, ''];
    const ask = () => {
      unwrap(api.GET('/api/v1/rights', { signal: stop.signal }))
        .then((found) => ([known, problem] = [found, '']))
        .catch((thrown: unknown) => {
          if (stop.signal.aborted) return;
          failures += 1;
          // That the service is out of reach is told above the page.
          problem = isUnreachable(thrown) ? '' : words(thrown);
          timer = setTimeout(ask, retryAfter(failures));
        });
    };
    ask();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  },
  /** Why they are not known yet, in words; empty where that is not known either. */
  get problem() {
    return problem;
  },
  get isKnown() {
    return known !== undefined;
  },
  /** Whose they are; empty while that is not known. */
  get user() {
    return known?.user ?? '';
  },
  /** Their role; empty for the only user of a service, who has every one. */
  get role() {
    return known?.role ?? '';
  },
  /** Whether who asks is an operator, or the only user of a service; not while that is not known. */
  get operates() {
    return known !== undefined && (known.role == null || known.role === 'operator');
  },
  /** Whether an action may be allowed, as it may while that is not known. */
  may(action: string): boolean {
    return known?.rights.find((it) => it.action === action)?.may !== 'no';
  },
  /** Whether something is theirs, or they are an operator, who sees everybody's. */
  owns(owner: string): boolean {
    return this.operates || (known !== undefined && known.user === owner);
  },
  /** Whether an action is known to be allowed: what changes something is offered only then. */
  offers(action: string): boolean {
    return known !== undefined && this.may(action);
  },
  /** Whether a page has something to say. */
  sees(page: Page): boolean {
    return !session.wanted && rights.may(NEEDED[page]);
  },
};
