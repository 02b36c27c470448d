// Reservations as people look for them: those to come, and those that were.

import type { ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { nodeWords } from '../ui/nodeWords';
import { chosenOffer } from '../ui/offers';
import { stateWord } from '../ui/reservationWords';
import { carbon, money } from '../units/format';

export type View = 'coming' | 'past';

const COMING = new Set(['proposed', 'confirmed', 'active', 'awaiting_supplier']);

/** The states of each view, as the API takes them. */
export const STATES: Record<View, string> = {
  coming: [...COMING].join(),
  past: 'completed,cancelled,expired,rejected,failed',
};

/** One that was read by itself; null where there is none any more. */
export interface Reread {
  /** When that was begun. */
  at: number;
  reservation: ReservationDocument | null;
}

/** Reservations that were read at once, with those that were read by themselves since. */
export function merged(
  all: readonly ReservationDocument[],
  again: ReadonlyMap<string, Reread>,
  began: number,
): ReservationDocument[] {
  const newer = new Map([...again].filter(([, { at }]) => at >= began));
  if (newer.size === 0) return [...all];
  const kept = all.flatMap((it) => {
    const found = newer.get(it.id);
    newer.delete(it.id);
    return found === undefined ? [it] : found.reservation ? [found.reservation] : [];
  });
  return [...kept, ...[...newer.values()].flatMap(({ reservation }) => reservation ?? [])];
}

/** Whether everything that is searched for stands in what people know a reservation by. */
export function matches(reservation: ReservationDocument, search: string): boolean {
  const { id, owner, project, state, request, offers } = reservation;
  const nodes = offers.flatMap((it) => nodeWords(it));
  const text = [id, owner, project, stateWord(state), request.note, labelWords(reservation), ...nodes].join(' ').toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The orders of a list. */
export const ORDERS = ['start', 'made', 'cost', 'nodes'] as const;

/** A list in another order than by start, in which it is. */
export function ordered(list: readonly ReservationDocument[], order: string): ReservationDocument[] {
  const nodes = (it: ReservationDocument) => chosenOffer(it)?.node_count ?? it.request.nodes ?? 0;
  const value: Record<string, (it: ReservationDocument) => number> = {
    made: (it) => Date.parse(it.created_at),
    cost: (it) => chosenOffer(it)?.cost ?? -Infinity,
    nodes,
  };
  const by = value[order];
  return by ? [...list].sort((a, b) => by(b) - by(a)) : [...list];
}

/** The view that a reservation is in. */
export function viewOf(reservation: ReservationDocument): View {
  return COMING.has(reservation.state) ? 'coming' : 'past';
}

/** Those of a view: to come by start, the past with the latest first. */
export function listed(all: readonly ReservationDocument[], view: View): ReservationDocument[] {
  const start = (it: ReservationDocument) => Date.parse(it.start ?? it.created_at);
  const found = all.filter((it) => viewOf(it) === view);
  return found.sort((a, b) => (view === 'coming' ? start(a) - start(b) : start(b) - start(a)));
}

/** Those of one group: one's own, those of a project, or all of them. */
export function ofGroup(all: readonly ReservationDocument[], group: string, me: string): ReservationDocument[] {
  if (group === 'mine') return all.filter((it) => it.owner === me);
  const project = /^project (.*)$/.exec(group)?.[1];
  return project === undefined ? [...all] : all.filter((it) => it.project === project);
}

/** `application nemo, run 3`; empty where there are no labels. */
export const labelWords = ({ request }: ReservationDocument) =>
  Object.entries(request.labels ?? {}).map(([name, value]) => `${name} ${String(value)}`).join(', ');

/** With whom it is shared; empty where with nobody. */
export function sharedWords(reservation: ReservationDocument): string {
  const texts = language.texts.reservations.list;
  const names = (reservation.shared_with ?? []).map((it) => it.user ?? texts.allOf(it.project ?? ''));
  return names.length > 0 ? texts.sharedWith(names.join(', ')) : '';
}

export interface Pairing {
  /** Held offers of which one may take its place. */
  replacement: ReservationDocument | undefined;
  /** The one whose place its held offers may take. */
  replaced: ReservationDocument | undefined;
}

/** Reservations of which one may take the other's place. */
export function pairingOf(all: readonly ReservationDocument[], { id, replaces, state }: ReservationDocument): Pairing {
  return {
    replacement: all.find((it) => it.replaces === id && it.state === 'proposed'),
    replaced: state === 'proposed' ? all.find((it) => it.id === replaces) : undefined,
  };
}

export interface Account {
  reservations: number;
  energy_j: number;
  cost: number;
  co2_g: number;
  saved: { energy_j: number; cost: number; co2_g: number };
  currency: string;
}

/** What those that were or will be used take together, and save against starting at once. */
export function account(reservations: readonly ReservationDocument[]): Account {
  const sum: Account = {
    reservations: 0,
    energy_j: 0,
    cost: 0,
    co2_g: 0,
    saved: { energy_j: 0, cost: 0, co2_g: 0 },
    currency: '',
  };
  for (const reservation of reservations) {
    const offer = chosenOffer(reservation);
    if (!offer || !['confirmed', 'active', 'completed'].includes(reservation.state)) continue;
    sum.reservations += 1;
    sum.energy_j += offer.energy_j;
    sum.cost += offer.cost;
    sum.co2_g += offer.co2_g;
    sum.saved.energy_j += offer.saves.energy_j;
    sum.saved.cost += offer.saves.cost;
    sum.saved.co2_g += offer.saves.co2_g;
    sum.currency = offer.currency;
  }
  return sum;
}

/** How a reservation stands after agendas have changed, in words; empty where nothing is worth telling. */
export function changedWords(reservation: ReservationDocument): string[] {
  const offer = chosenOffer(reservation);
  const now = reservation.now_expected?.offers.find((it) => it.offer_id === offer?.offer_id);
  if (!offer || !now) return [];
  const texts = language.texts.reservations.list;
  const words: string[] = [];
  const differs = (value: number, before: number) => Math.abs(value - before) > 0.005 * Math.abs(before);
  if (now.cost == null || now.co2_g == null) words.push(texts.partUnknown);
  else if (differs(now.cost, offer.cost) || differs(now.co2_g, offer.co2_g)) {
    words.push(texts.nowExpected(money(now.cost, offer.currency), carbon(now.co2_g)));
  }
  if (now.cap_kept === false) words.push(texts.capLowered);
  return words;
}
