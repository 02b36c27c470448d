// What the form says, as a request. Times in the form are wall times, as `datetime-local` writes them.

import type { QuoteRequest, ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { noLength, parseLength } from '../time/lengths';
import { HOUR, iso } from '../time/words';
import { readWall } from '../time/zone';

export interface Shape {
  nodes: string;
  duration: string;
}

export interface FormValues extends Shape {
  /** A wall time; empty means now. */
  earliest: string;
  /** Hours that it may wait, `start` for a latest start, `end` for a deadline. */
  wait: string;
  /** A wall time, where `wait` asks for one. */
  until: string;
  /** Percent. */
  utilisation: number;
  /** Percent of full speed that it may run at. */
  slowest: number;
  /** The application whose earlier runs tell the utilisation. */
  application: string;
  /** Which of the user's projects it is for; empty where they are in one only, or in none. */
  project: string;
  partition: string;
  features: string;
  exclude: string;
  only: string;
  /** Percent of cost that is as good as the least. */
  tolerance: string;
  alternatives: Shape[];
}

export const EMPTY: FormValues = {
  nodes: '8',
  duration: '2h',
  earliest: '',
  wait: '24',
  until: '',
  utilisation: 100,
  slowest: 100,
  application: '',
  project: '',
  partition: '',
  features: '',
  exclude: '',
  only: '',
  tolerance: '',
  alternatives: [],
};

export type Field = keyof FormValues;
export type FieldErrors = Partial<Record<Field, string>>;

/** What a form asks for, in order. */
export interface FormRequest {
  request: QuoteRequest;
  /** The first instant it may start. */
  earliest: number;
  /** The last instant it may start. */
  latest: number;
  /** The longest of its shapes, milliseconds. */
  longest: number;
  /** When the form was read. */
  at: number;
}

export type Reading = { ok: true; formRequest: FormRequest } | { ok: false; errors: FieldErrors };

const names = (text: string) => text.split(/[\s,;]+/).filter((name) => name !== '');

function shapeOf(shape: Shape): { nodes: number | null; seconds: number | null } {
  const clean = shape.nodes.replace(/[\s,']/g, '');
  const nodes = /^\d+$/.test(clean) && Number(clean) > 0 ? Number(clean) : null;
  const seconds = parseLength(shape.duration);
  return { nodes, seconds: seconds && seconds > 0 && seconds <= 1e8 ? seconds : null };
}

function window(values: FormValues, earliest: number, duration: number, { zone, slot }: Read) {
  if (values.wait === '0') return { latest: Math.ceil(earliest / slot) * slot, deadline: null };
  if (values.wait !== 'start' && values.wait !== 'end') {
    return { latest: earliest + Number(values.wait) * HOUR, deadline: null };
  }
  const until = readWall(values.until, zone);
  if (until === null) return null;
  const deadline = values.wait === 'end' ? until : null;
  return { latest: deadline === null ? until : deadline - duration, deadline };
}

/** How a form is read: its times are of this zone, and who cannot wait starts at the next multiple of `slot`, milliseconds. */
export interface Read {
  zone: string;
  slot: number;
}

/** The request that the form asks for, or what is wrong with each field. */
export function readForm(values: FormValues, now: number, read: Read): Reading {
  const { zone } = read;
  const texts = language.texts.plan.formErrors;
  const errors: FieldErrors = {};
  const { nodes, seconds } = shapeOf(values);
  if (nodes === null) errors.nodes = texts.nodes;
  if (seconds === null) errors.duration = noLength();
  const shapes = values.alternatives.map(shapeOf);
  if (shapes.some((it) => it.nodes === null || it.seconds === null)) {
    errors.alternatives = texts.alternatives;
  }
  const start = Math.floor(now / 1000) * 1000;
  const from = values.earliest === '' ? start : readWall(values.earliest, zone);
  if (from === null) errors.earliest = texts.earliest;
  // A start that has passed while the form was open means now; one that never could be is a mistake.
  if (from !== null && from < start - HOUR) errors.earliest = texts.earliestPassed;
  const earliest = Math.max(from ?? start, start);
  const shortest = Math.min(seconds ?? 0, ...shapes.map((it) => it.seconds ?? Infinity)) * 1000;
  const limits = window(values, earliest, shortest, read);
  if (!limits) errors.until = texts.until;
  else if (limits.latest < earliest) errors.until = limits.deadline ? texts.deadlineTooEarly : texts.latestTooEarly;
  const tolerance = values.tolerance.trim() === '' ? 0 : Number(values.tolerance.replace(',', '.'));
  if (!(tolerance >= 0 && tolerance <= 100)) errors.tolerance = texts.tolerance;
  if (!limits || nodes === null || seconds === null || Object.keys(errors).length > 0) {
    return { ok: false, errors };
  }

  const request: QuoteRequest = { nodes, duration_s: seconds, earliest_start: iso(earliest) };
  if (limits.deadline === null) request.latest_start = iso(limits.latest);
  else request.latest_end = iso(limits.deadline);
  if (shapes.length > 0) {
    request.alternatives = shapes.map((it) => ({ nodes: it.nodes ?? 0, duration_s: it.seconds ?? 0 }));
  }
  if (values.utilisation < 100) request.utilisation = values.utilisation / 100;
  if (values.slowest < 100) request.slowest_speed = values.slowest / 100;
  if (values.application.trim()) request.labels = { application: values.application.trim() };
  if (values.project.trim()) request.project = values.project.trim();
  if (values.partition.trim()) request.partition = values.partition.trim();
  if (names(values.features).length > 0) request.features = names(values.features);
  if (names(values.exclude).length > 0) request.exclude = names(values.exclude);
  if (names(values.only).length > 0) request.only = names(values.only);
  if (tolerance > 0) request.tolerance = { cost: Math.round(tolerance * 1e4) / 1e6 };
  const longest = Math.max(seconds, ...shapes.map((it) => it.seconds ?? 0)) * 1000;
  return { ok: true, formRequest: { request, earliest, latest: limits.latest, longest, at: now } };
}

/** `2 nodes for 2h, within 24 hours, hpl`: what the form asks for, in a line. */
export function formWords(values: FormValues, isRepeated = false): string {
  const texts = language.texts.plan.formWords;
  const waits: Record<string, string> = { 0: texts.atOnce, start: texts.untilStart, end: texts.untilEnd };
  return [
    texts.nodesFor(values.nodes.trim(), values.duration.trim()),
    values.earliest === '' ? '' : texts.from(values.earliest.replace('T', ' ')),
    waits[values.wait] ?? texts.within(values.wait),
    values.application.trim(),
    values.project.trim(),
    isRepeated ? texts.repeated : '',
  ].filter((it) => it !== '').join(', ');
}

/** From when to when the plan's chart shows: from now on, or about the window where that is far ahead. */
export function chartSpan(shown: FormRequest | null | undefined, now: number): { from: number; to: number } {
  const hour = (at: number) => Math.floor(at / HOUR) * HOUR;
  if (!shown) return { from: hour(now), to: hour(now) + 26 * HOUR };
  const last = shown.latest + shown.longest;
  const lead = Math.max(HOUR, (last - shown.earliest) / 8);
  const from = hour(shown.earliest - now > 4 * lead ? shown.earliest - lead : now);
  return { from, to: Math.max(from + 6 * HOUR, Math.ceil(last / HOUR) * HOUR + HOUR) };
}

/** Whether the form still asks for this, but for time that has passed. */
export function stillAsks(values: FormValues, { request, at }: FormRequest, read: Read): boolean {
  const reading = readForm(values, at, read);
  return reading.ok && JSON.stringify(reading.formRequest.request) === JSON.stringify(request);
}

/** What the form asked for when this reservation was made of it; null where it asks for something else. */
export function askedBefore(values: FormValues, { request }: ReservationDocument, read: Read): FormRequest | null {
  const reading = readForm(values, Date.parse(request.earliest_start), read);
  if (!reading.ok) return null;
  const asked = reading.formRequest.request;
  const same = (['nodes', 'duration_s', 'earliest_start', 'latest_start', 'latest_end', 'partition'] as const).every(
    (name) => (asked[name] ?? null) === (request[name] ?? null),
  );
  return same && (asked.alternatives ?? []).length === (request.alternatives ?? []).length ? reading.formRequest : null;
}

/** The field that a JSON pointer into the request means. */
export function fieldOf(pointer: string): Field | null {
  const head = pointer.split('/')[1] ?? '';
  const fields: Record<string, Field> = {
    nodes: 'nodes',
    duration_s: 'duration',
    duration: 'duration',
    earliest_start: 'earliest',
    latest_start: 'until',
    latest_end: 'until',
    utilisation: 'utilisation',
    slowest_speed: 'slowest',
    labels: 'application',
    project: 'project',
    partition: 'partition',
    features: 'features',
    exclude: 'exclude',
    only: 'only',
    tolerance: 'tolerance',
    alternatives: 'alternatives',
  };
  return fields[head] ?? null;
}
