// A month's reservations as the requests of a simulation: what was asked for, and nothing of who asked.

import { said } from '../api/said';
import type { PlacedError, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import type { Month } from '../time/months';
import { DAY, iso } from '../time/words';

/** Starts are looked for on quarter-hours. */
const SLOT = 900_000;

/** What a simulated request may say. */
const FIELDS = [
  'nodes', 'duration_s', 'alternatives', 'latest_end', 'tolerance', 'partition', 'features', 'exclude', 'only',
] as const;

export type PlayedRequest = Record<string, unknown> & { earliest_start: string; latest_start: string };

/** The request of a reservation without its owner, project, labels and note. */
export function played(reservation: ReservationDocument): PlayedRequest {
  const { request } = reservation;
  const shapes = [...(request.duration_s ? [request] : []), ...(request.alternatives ?? [])];
  const shortest = Math.min(...shapes.map((shape) => Number(shape.duration_s)));
  const latest = request.latest_start ? Date.parse(request.latest_start) : Date.parse(request.latest_end ?? '') - 1000 * shortest;
  // A window between two quarter-hours begins at the one before it.
  const earliest = Date.parse(request.earliest_start);
  const first = Math.ceil(earliest / SLOT) * SLOT <= latest ? earliest : Math.floor(earliest / SLOT) * SLOT;
  const said = FIELDS.filter((field) => request[field] !== null && request[field] !== undefined);
  return {
    ...Object.fromEntries(said.map((field) => [field, request[field]])),
    // As the offer was reckoned: at full power where nothing is said or learnt.
    utilisation: request.utilisation ?? reservation.learnt_utilisation?.utilisation ?? 1,
    earliest_start: iso(first),
    latest_start: iso(latest),
  };
}

/** From when to when requests of a month may run: it may have been possible to start before the month. */
export function reach(requests: readonly PlayedRequest[], month: Month): { start: number; days: number; end: number } {
  const first = Math.min(Date.parse(month.from), ...requests.map((it) => Date.parse(it.earliest_start)));
  const start = Math.floor(first / SLOT) * SLOT;
  const lengths = (it: PlayedRequest) => [it, ...((it.alternatives as PlayedRequest[] | undefined) ?? [])].map((shape) => Number(shape.duration_s ?? 0));
  const end = Math.max(Date.parse(month.to), ...requests.map((it) => Date.parse(it.latest_start) + 1000 * Math.max(...lengths(it))));
  return { start, days: Math.ceil((Date.parse(month.to) - start) / DAY), end };
}

/** The experiment without the requests that the service refuses, and why; null where something else is wrong with it, or nothing is left. */
export function without(body: Record<string, unknown>, errors: readonly PlacedError[]): { body: Record<string, unknown>; why: string } | null {
  const requests = Array.isArray(body.requests) ? (body.requests as unknown[]) : [];
  const places = errors.map(({ pointer }) => /^\/requests\/(\d+)/.exec(pointer ?? '')?.[1]);
  const refused = new Set(places.map(Number));
  if (places.length === 0 || places.includes(undefined) || refused.size >= requests.length) return null;
  const { ask, names } = language.texts.simulate;
  return {
    body: { ...body, name: names.without(String(body.name), refused.size), requests: requests.filter((_, index) => !refused.has(index)) },
    why: ask.leftOut(refused.size, requests.length, said(errors[0]?.detail ?? '')),
  };
}
