// Series in words, and the form that changes one.

import type { OccurrenceDocument, RequestPatchDocument, SeriesDocument, SeriesPatchDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { noLength, parseLength } from '../time/lengths';
import { iso, length, span, when, type Clock } from '../time/words';
import { wallText } from '../time/zone';
import { DAYS, ONCE, recurrenceOf, ruleOf, type Repeat } from '../ui/recur';
import { stateWord } from '../ui/reservationWords';

/** What becomes of the times of a series, in the order in which it is told. */
const KINDS = ['booked', 'waiting', 'impossible', 'left_out', 'ended'] as const;
const texts = () => language.texts.reservations.series;

/** `Ongoing` */
export function seriesState({ state }: SeriesDocument): string {
  const states: Record<string, string> = texts().states;
  return states[state] ?? state;
}

/** `Booked`, `Running`, `Left out`. */
export function occurrenceState({ state, reservation_state }: OccurrenceDocument): string {
  const states: Record<string, string> = texts().occurrenceStates;
  return state === 'booked' && reservation_state ? stateWord(reservation_state) : (states[state] ?? state);
}

/** When an occurrence takes place, or the window that it may start in. */
export function occurrenceTime(it: OccurrenceDocument, { now, zone }: Clock): string {
  if (it.start && it.end) return span(Date.parse(it.start), Date.parse(it.end), now, zone);
  const [earliest, latest] = [Date.parse(it.earliest_start), Date.parse(it.latest_start)];
  return earliest === latest ? texts().at(when(earliest, now, zone)) : texts().toStart(span(earliest, latest, now, zone));
}

/** Whether it can still be left out. */
export const canSkip = ({ state, reservation_state }: OccurrenceDocument) =>
  ['waiting', 'impossible'].includes(state) || (state === 'booked' && ['proposed', 'confirmed'].includes(reservation_state ?? 'confirmed'));

/** `4 nodes for 2 h`. */
export function askedWords({ request }: SeriesDocument): string {
  return texts().asked(request.nodes ?? 1, length(Number(request.duration_s) * 1000));
}

/** `12 booked, 36 to be planned, 1 does not fit`. */
export function totalWords({ totals }: SeriesDocument): string {
  const { all, ...parts } = texts().totals;
  return all(totals.occurrences, KINDS.filter((kind) => totals[kind] > 0).map((kind) => parts[kind](totals[kind])).join(', '));
}

/** What the form of a change says. */
export interface WantedSeries {
  nodes: string;
  duration: string;
  choose: string;
  repeat: Repeat;
}

/** The choices that a rule was made of, or the rule itself. */
export function repeatOf(recur: string, until: string | null | undefined, zone: string): Repeat {
  // The last instant before it is on the last day.
  const day = until ? wallText(Date.parse(until) - 1000, zone).slice(0, 10) : '';
  const days = (/BYDAY=([A-Z,]+)/.exec(recur)?.[1] ?? '').split(',').filter((it) => DAYS.some(([known]) => known === it));
  const plain = (['day', 'week', 'month'] as const)
    .map((every): Repeat => ({ ...ONCE, every, days: every === 'week' ? days : [], until: day }))
    .find((it) => ruleOf(it) === recur);
  return plain ?? { ...ONCE, every: 'rule', rule: recur, until: day };
}

export function wantedSeries(series: SeriesDocument): WantedSeries {
  return {
    nodes: String(series.request.nodes ?? 1),
    duration: length(Number(series.request.duration_s) * 1000),
    choose: series.choose.split('_')[0] ?? series.choose,
    repeat: repeatOf(series.recur, series.until, series.time_zone),
  };
}

export type SeriesPatch = { patch: SeriesPatchDocument } | { errors: Record<string, string | undefined> };

/** The merge patch that makes a series what the form says. */
export function seriesPatch(before: WantedSeries, wanted: WantedSeries, zone: string): SeriesPatch {
  const [patch, request, errors]: [SeriesPatchDocument, RequestPatchDocument, Record<string, string | undefined>] = [{}, {}, {}];
  if (wanted.nodes !== before.nodes) {
    if (/^[1-9]\d*$/.test(wanted.nodes.trim())) request.nodes = Number(wanted.nodes);
    else errors.nodes = language.texts.reservations.forms.wrong.nodes;
  }
  if (wanted.duration !== before.duration) {
    const seconds = parseLength(wanted.duration);
    if (seconds) request.duration_s = seconds;
    else errors.duration_s = noLength();
  }
  if (wanted.choose !== before.choose) patch.choose = wanted.choose as SeriesPatchDocument['choose'];
  if (JSON.stringify(wanted.repeat) !== JSON.stringify(before.repeat)) {
    const recurrence = recurrenceOf(wanted.repeat, zone);
    if ('errors' in recurrence) Object.assign(errors, recurrence.errors);
    else {
      if (ruleOf(wanted.repeat) !== ruleOf(before.repeat)) patch.recur = recurrence.recur;
      if (wanted.repeat.until !== before.repeat.until) patch.until = recurrence.until === null ? null : iso(recurrence.until);
    }
  }
  if (Object.keys(request).length > 0) patch.request = request;
  return Object.keys(errors).length > 0 ? { errors } : { patch };
}
