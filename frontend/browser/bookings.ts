// Reservations as the service could tell them: made up, so that each state is there at any hour.

import type { Page, Route } from 'playwright-core';

import type { HeldOffer, ReservationDocument, RightsDocument, SlurmJob, SlurmReservation } from '../src/api/schema';
import { LONG, offer, range } from './decisions';
import { fail } from './states';
import { hours } from './tour';

export const OWNER = 'wilhelmina-featherstonehaugh@hpc.physics.example.org';
export const PROJECT = 'molecular-dynamics-of-membranes-and-their-proteins';
export const NOTE = `the deadline of the journal is on Friday, and ${LONG} is still to be run for the reviewers`;
/** Amounts of a whole machine for months. */
export const HUGE = { cost: 12_345_678.9, co2_g: 9.87e9, energy_j: 1.23e15, saves: { cost: -1_234_567.8, co2_g: 1.2e9, energy_j: -3.4e13 } };

const idOf = (index: number) => `01a21cfd-3e41-77ea-8d42-${String(index).padStart(12, '0')}`;

export const held = (ahead = 5, more: Partial<HeldOffer> = {}): HeldOffer => ({
  ...offer(ahead), offer_id: `o${ahead}`, nodes: range(8, (index) => `aube-${index + 1}`), ...more,
});

/** A reservation of eight nodes for two hours that is booked, where nothing else is said. */
export function booking(index: number, more: Partial<ReservationDocument> = {}): ReservationDocument {
  const offers = more.offers ?? [held(5 + index)];
  const chosen = more.chosen_offer_id === undefined ? (offers[0]?.offer_id ?? null) : more.chosen_offer_id;
  const times = offers.find((it) => it.offer_id === chosen);
  return {
    id: idOf(index), owner: 'local', state: 'confirmed', decision: 'choice', degraded: false, created_at: hours(-30 - index), expires_at: hours(-29), priority: 0,
    shared_with: [], basis: [], request: { nodes: 8, duration_s: 7200, earliest_start: hours(1), latest_start: hours(20) },
    ...(times ? { start: times.start, end: times.end } : {}), ...more, offers, chosen_offer_id: chosen,
  };
}
/** Offers of which none is chosen. */
export const proposed = (index: number, more: Partial<ReservationDocument> = {}) =>
  booking(index, { state: 'proposed', chosen_offer_id: null, expires_at: hours(0.1), offers: [held(3), held(9, { rankings: ['cost_co2_energy'] })], ...more });
/** Without any offer. */
export const none = (index: number, state: string, more: Partial<ReservationDocument> = {}) =>
  booking(index, { state, offers: [], chosen_offer_id: null, ...more });

const job = (index: number): SlurmJob => ({
  id: `${4711 + index}`, user: OWNER, account: index % 2 ? PROJECT : '', state: ['RUNNING', 'COMPLETED', 'FAILED', 'NODE_FAIL', 'PENDING'][index % 5] ?? '',
  nodes: index % 5 === 4 ? '' : `aube-[${range(20, (it) => 2 * it + 1).join(',')}]`, start: index % 5 === 4 ? null : hours(-3), end: index % 5 ? hours(-1) : null,
  energy_j: index % 2 ? 3.6e9 : null,
});
/** What Slurm has of a reservation, with so many jobs. */
export const slurm = (state: string, jobs = 0, more: Partial<SlurmReservation> = {}): SlurmReservation => ({
  reservation: `wattbook-${idOf(1)}`, state, because: null, jobs: range(Math.min(jobs, 20), job), jobs_count: jobs,
  node_seconds: { reserved: 28_800_000, used: 14_400_000 }, ...more,
});
const LOST = 'scontrol: error: Reservation access denied, Unable to update the reservation: Requested nodes are busy.';
export const SLURM: [string, SlurmReservation][] = [
  ['is to get it', slurm('waiting')],
  ['has it', slurm('in_force', 3)],
  ['has not all of it', slurm('failed', 9, { because: LOST })],
  ['lost it', slurm('lost', 12_345, { because: 'ada removed it.' })],
  ['has it no more', slurm('removed', 1)],
];

/** Those that a list has. */
export const listOf = (...items: ReservationDocument[]) => () => ({ items, next_cursor: null });

/** Who asks as if they were somebody else. */
export const as = (role: string, ...denied: string[]) => (real: RightsDocument): RightsDocument => ({
  ...real, role, rights: real.rights.map((it) => (denied.includes(it.action) ? { ...it, may: 'no' } : it)),
});

export const problem = (status: number, code: string, detail: string, more: object = {}) => ({ type: 'about:blank', title: 'Refused', status, code, detail, ...more });

/** What becomes of what is sent: an answer of its own, a problem where it has a status, or none. */
export const sent = (page: Page, path: string | RegExp, answer: object | 'waits' | 'fails') =>
  page.route((url) => (typeof path === 'string' ? url.pathname.endsWith(`/api/v1/${path}`) : path.test(url.pathname)), (route: Route) => {
    if (route.request().method() === 'GET') return route.fallback();
    if (answer === 'waits') return undefined;
    if (answer === 'fails') return fail(route);
    const status = 'status' in answer && 'code' in answer ? Number(answer.status) : 200;
    return route.fulfill({ status, contentType: status === 200 ? 'application/json' : 'application/problem+json', json: answer });
  });

export const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).filter({ visible: true }).first().click();
