// Changes of a reservation: which there are, what their forms say, and what is wrong with it.

import { Failure } from '../api/failure';
import type { RequestPatchDocument, ReservationDocument } from '../api/schema';
import { language, type Texts } from '../texts/language.svelte';
import { noLength, parseLength } from '../time/lengths';
import { iso, length } from '../time/words';
import { readWall, wallText } from '../time/zone';

export type Action = keyof Texts['reservations']['forms']['change']['actions'];

/** What can be changed of a reservation as it stands; only operators give priorities. */
export function actionsFor(reservation: ReservationDocument, operates = false): Action[] {
  const { state } = reservation;
  const isPlanned = state === 'proposed' || state === 'confirmed';
  return [...forOwners(reservation), ...(operates && isPlanned ? (['priority'] as const) : [])];
}

function forOwners({ state }: ReservationDocument): Action[] {
  if (state === 'proposed') return ['modify', 'describe', 'share', 'transfer'];
  if (state === 'confirmed') return ['modify', 'extend', 'swap', 'describe', 'share', 'transfer'];
  if (state === 'active') return ['extend', 'release', 'swap', 'describe', 'share', 'transfer'];
  return state === 'awaiting_supplier' ? ['describe', 'share', 'transfer'] : [];
}

/** The longest extension that would fit, milliseconds; null where none would, or the failure is another. */
export function longestExtension(error: unknown): number | null {
  if (!(error instanceof Failure) || error.code !== 'impossible') return null;
  const longest = (error.problem as { longest_s?: number | null } | undefined)?.longest_s;
  return longest ? longest * 1000 : null;
}

/** What the form of a modification says. */
export interface Wanted {
  nodes: string;
  duration: string;
  earliest: string;
  /** Which of the two limits the window has. */
  limit: 'start' | 'end';
  latest: string;
  application: string;
  utilisation: string;
  partition: string;
  /** What the best start is the least of. */
  ranking: string;
}

/** The form for a reservation as it was asked for. */
export function wantedOf({ request }: ReservationDocument, zone: string): Wanted {
  const limit = request.latest_end ? 'end' : 'start';
  const latest = request.latest_end ?? request.latest_start;
  return {
    nodes: String(request.nodes ?? 1),
    duration: length(Number(request.duration_s) * 1000),
    earliest: wallText(Date.parse(request.earliest_start), zone),
    limit,
    latest: latest ? wallText(Date.parse(latest), zone) : '',
    application: (request.labels as Record<string, string> | null | undefined)?.application ?? '',
    utilisation: String(Math.round((request.utilisation ?? 1) * 1000) / 10),
    partition: request.partition ?? '',
    ranking: 'cost_co2_energy',
  };
}

export type Patched = { patch: RequestPatchDocument } | { errors: Record<string, string> };

/** The patch that makes a request what the form says: only what was changed in it. */
export function patchOf(before: Wanted, wanted: Wanted, zone: string): Patched {
  const patch: RequestPatchDocument = {};
  const errors: Record<string, string> = {};
  const texts = language.texts.reservations.forms.wrong;
  const changed = (field: keyof Wanted) => before[field].trim() !== wanted[field].trim();
  if (changed('nodes')) {
    if (/^[1-9]\d*$/.test(wanted.nodes.trim())) patch.nodes = Number(wanted.nodes);
    else errors.nodes = texts.nodes;
  }
  if (changed('duration')) {
    const seconds = parseLength(wanted.duration);
    if (seconds) patch.duration_s = seconds;
    else errors.duration_s = noLength();
  }
  if (changed('earliest')) {
    const instant = readWall(wanted.earliest, zone);
    if (instant === null) errors.earliest_start = texts.time;
    else patch.earliest_start = iso(instant);
  }
  if (changed('latest') || changed('limit')) {
    const instant = readWall(wanted.latest, zone);
    const [field, other] = wanted.limit === 'end' ? (['latest_end', 'latest_start'] as const) : (['latest_start', 'latest_end'] as const);
    if (instant === null) errors[field] = texts.time;
    else Object.assign(patch, { [field]: iso(instant), ...(changed('limit') ? { [other]: null } : {}) });
  }
  if (changed('application')) patch.labels = { application: wanted.application.trim() || null };
  if (changed('partition')) patch.partition = wanted.partition.trim() || null;
  if (changed('utilisation')) {
    const value = Number(wanted.utilisation.replace(',', '.').replace('%', ''));
    if (value > 0 && value <= 100) patch.utilisation = Math.round(value * 1e4) / 1e6;
    else errors.utilisation = texts.utilisation;
  }
  return Object.keys(errors).length > 0 ? { errors } : { patch };
}

/** Whether a patch needs the reservation to be planned anew. */
export const replans = (patch: RequestPatchDocument) => Object.keys(patch).some((field) => field !== 'labels');

/** The highest priority. */
export const HIGHEST_PRIORITY = 1000;

/** A priority as a form says it; null where it is none. */
export function priorityOf(text: string): number | null {
  const priority = Number(text.trim());
  return text.trim() !== '' && Number.isInteger(priority) && priority >= 0 && priority <= HIGHEST_PRIORITY ? priority : null;
}

/** Labels as lines of `name = value`. */
export const labelLines = (labels: Record<string, string>) =>
  Object.entries(labels).map(([name, value]) => `${name} = ${value}`).join('\n');

/** The merge patch from labels to what lines say; null where a line has no `=`. */
export function labelPatch(before: Record<string, string>, lines: string): Record<string, string | null> | null {
  const wanted: Record<string, string> = {};
  for (const line of lines.split('\n').filter((it) => it.trim() !== '')) {
    const at = line.indexOf('=');
    if (at < 1) return null;
    wanted[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  const gone = Object.keys(before).filter((name) => !(name in wanted));
  const other = Object.entries(wanted).filter(([name, value]) => before[name] !== value);
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(other) };
}

/** Names in a line of text. */
export const namesIn = (text: string) => text.split(/[\s,;]+/).filter((it) => it !== '');
