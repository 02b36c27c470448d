// The way back from what was cancelled: the plan's form, filled as before.

import type { ReservationDocument } from '../api/schema';
import { hashOf } from './address';

const two = (value: number) => String(value).padStart(2, '0');

/** `1:30:00`, as Slurm writes it. */
export const clockLength = (seconds: number) =>
  `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;

/** The address of a plan for what this reservation asked for; null where the plan's form cannot say it. */
export function planAgain({ request }: ReservationDocument): string | null {
  const { nodes, duration_s: seconds, earliest_start, latest_start, latest_end, partition } = request;
  if (typeof seconds !== 'number') return null;
  const query: Record<string, string> = { nodes: String(nodes ?? 1), for: clockLength(seconds), after: earliest_start };
  const until = latest_end ?? latest_start;
  if (until) [query.wait, query.until] = [latest_end ? 'end' : 'start', until];
  if (partition) query.partition = partition;
  return hashOf({ page: 'plan', item: '', query });
}
