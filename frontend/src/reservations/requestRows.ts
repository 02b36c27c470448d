// What was asked for, as a list of names and values.

import type { ReservationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { exact, length } from '../time/words';
import { percent, whole } from '../units/format';

/** Each part of a request that was said, in words. */
export function requestRows({ request, priority }: ReservationDocument, zone: string): [string, string][] {
  const at = (instant: string | null | undefined) => (instant ? exact(Date.parse(instant), zone) : '');
  const list = (names: readonly string[] | null | undefined) => (names ?? []).join(', ');
  const { duration_s: seconds } = request;
  const texts = language.texts.reservations.request;
  const rows: [string, string | null | undefined][] = [
    [texts.nodes, request.nodes == null ? '' : whole(request.nodes)],
    [texts.duration, typeof seconds === 'number' ? length(seconds * 1000) : ''],
    [texts.otherShapes, request.alternatives?.length ? String(request.alternatives.length) : ''],
    [texts.notBefore, at(request.earliest_start)],
    [texts.latestStart, at(request.latest_start)],
    [texts.finishedBy, at(request.latest_end)],
    [texts.partition, request.partition],
    [texts.features, list(request.features)],
    [texts.noneOf, list(request.exclude)],
    [texts.onlyOf, list(request.only)],
    [texts.utilisation, request.utilisation == null ? '' : percent(request.utilisation)],
    [texts.slowest, request.slowest_speed == null ? '' : percent(request.slowest_speed)],
    [texts.priority, priority > 0 ? String(priority) : ''],
    [texts.givenBack, request.give_back === 'jobs_ended' ? texts.onceJobsEnded : ''],
  ];
  return rows.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}
