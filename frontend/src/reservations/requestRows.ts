// What was asked for, as a list of names and values.

import type { ReservationDocument } from '../api/schema';
import { exact, length } from '../time/words';
import { percent, whole } from '../units/format';

/** Each part of a request that was said, in words. */
export function requestRows({ request, priority }: ReservationDocument, zone: string): [string, string][] {
  const at = (instant: string | null | undefined) => (instant ? exact(Date.parse(instant), zone) : '');
  const list = (names: readonly string[] | null | undefined) => (names ?? []).join(', ');
  const { duration_s: seconds } = request;
  const rows: [string, string | null | undefined][] = [
    ['Nodes', request.nodes == null ? '' : whole(request.nodes)],
    ['For', typeof seconds === 'number' ? length(seconds * 1000) : ''],
    ['Other shapes', request.alternatives?.length ? String(request.alternatives.length) : ''],
    ['Not before', at(request.earliest_start)],
    ['Latest start', at(request.latest_start)],
    ['Finished by', at(request.latest_end)],
    ['Partition', request.partition],
    ['Features', list(request.features)],
    ['None of', list(request.exclude)],
    ['Only of', list(request.only)],
    ['Utilisation', request.utilisation == null ? '' : percent(request.utilisation)],
    ['May run as slowly as', request.slowest_speed == null ? '' : percent(request.slowest_speed)],
    ['Priority', priority > 0 ? String(priority) : ''],
    ['Given back', request.give_back === 'jobs_ended' ? 'once its jobs have ended' : ''],
  ];
  return rows.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}
