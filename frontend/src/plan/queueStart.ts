// When Slurm's queue would start a job without a booking, in words.

import type { PredictedShape, Predictions, QuoteRequest } from '../api/schema';
import { language } from '../texts/language.svelte';
import { MINUTE, type Clock, span, when } from '../time/words';

/** What the queue is asked for: a shape, and a partition where one is named. */
export interface QueueQuestion {
  nodes: number;
  seconds: number;
  partition: string;
}

export const questionOf = ({ nodes, duration_s, partition }: QuoteRequest): QueueQuestion => ({
  nodes: nodes ?? 0,
  seconds: Number(duration_s),
  partition: partition ?? '',
});

/** Where it starts first; nothing where no partition has so many nodes. */
export function firstStart({ shapes }: Predictions): PredictedShape | undefined {
  return [...shapes].sort((a, b) => Date.parse(a.start.expected) - Date.parse(b.start.expected))[0];
}

/** `about today 14:05, in nine of ten cases today 13:30 to 18:20, in partition batch`. */
export function queueStartWords({ start, partition }: PredictedShape, { now, zone }: Clock): string {
  const texts = language.texts.plan.queueStart;
  const [expected, early, late] = [start.expected, start.p05, start.p95].map((it) => Date.parse(it)) as [number, number, number];
  const place = partition ? texts.inPartition(partition) : '';
  if (late <= now + MINUTE) return texts.atOnce(place);
  const within = late - early < 2 * MINUTE ? '' : texts.within(span(Math.max(early, now), late, now, zone));
  return texts.about(when(expected, now, zone), place) + within;
}
