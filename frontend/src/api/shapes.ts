// Shapes that the service's description does not have yet. Once `schema.d.ts` has them, they are taken from there.

import type { OfferDocument, ReservationDocument, ReservationRequest } from './schema';

/** Somebody with whom a reservation is shared: a user or a project. */
export interface SharedWith {
  user?: string;
  project?: string;
  may: 'see' | 'use' | 'act';
}

/** What a reservation says beside what its description says. */
export interface ReservationMore {
  shared_with?: SharedWith[];
  series?: string | null;
  occurrence?: string | null;
}
export const more = (reservation: ReservationDocument) => reservation as ReservationDocument & ReservationMore;

/** What an offer would do to one's standing. */
export interface OfferStanding {
  factor: number;
  factor_after: number;
  uses: number;
}
export const standingOf = (offer: OfferDocument) => (offer as { standing?: OfferStanding | null }).standing ?? null;

export interface StandingAdvice {
  code: string;
  at?: string | null;
  factor?: number | null;
  /** A position among the offers. */
  offer?: number | null;
  detail: string;
}

/** How one stands, of a quote or of offers that are held. */
export interface QuoteStanding {
  account: string;
  parent: string;
  counts: string;
  factor: number;
  until_half?: number | null;
  advice?: StandingAdvice[];
}

/** What an account of `/shares` says beside what its description says. */
export interface AccountMore {
  usage_cost?: number | null;
  usage_co2_g?: number | null;
  until_half?: number | null;
  advice?: StandingAdvice[];
}

export interface SeriesRequest {
  request: ReservationRequest;
  recur: string;
  until?: string;
  except?: string[];
  time_zone?: string;
  choose?: string;
  where_impossible?: string;
}

export interface Occurrence {
  /** Its nominal local start, which names it. */
  occurrence: string;
  state: 'waiting' | 'booked' | 'impossible' | 'left_out' | 'ended';
  exception: boolean;
  earliest_start: string;
  latest_start: string;
  reservation_id: string | null;
  reservation_state: string | null;
  start: string | null;
  end: string | null;
  node_count: number | null;
  energy_j: number | null;
  cost: number | null;
  co2_g: number | null;
  currency: string | null;
  next_try_at: string | null;
  reason: { code: string; detail: string } | null;
}

export interface SeriesTotals {
  occurrences: number;
  booked: number;
  waiting: number;
  impossible: number;
  left_out: number;
  ended: number;
  energy_j: number;
  cost: number;
  co2_g: number;
  currency: string;
}

export interface Series {
  id: string;
  owner: string;
  project: string | null;
  state: 'running' | 'completed' | 'ended' | 'refused';
  request: ReservationRequest;
  recur: string;
  until: string | null;
  except: string[];
  also: string[];
  time_zone: string;
  choose: string;
  where_impossible: string;
  created_at: string;
  ended_at: string | null;
  totals: SeriesTotals;
}

export interface SeriesDocument extends Series {
  occurrences: Occurrence[];
}

export interface SeriesPage {
  items: Series[];
  next_cursor: string | null;
}
