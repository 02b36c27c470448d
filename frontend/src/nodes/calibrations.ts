// How a node was calibrated over time.

import type { CalibrationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import type { Step } from '../ui/steps';

/** What a calibration rests on, in words. */
export function restsOn({ source, idle_samples, max_samples, outliers }: CalibrationDocument): string {
  const texts = language.texts.nodes.calibrations;
  const sources: Record<string, string> = texts.sources;
  return texts.restsOn(sources[source] ?? source, idle_samples, max_samples, outliers);
}

/** By how many percent a power differs from the newest. */
const differs = (watts: number, newest: number) => (newest > 0 ? (watts / newest - 1) * 100 : 0);

/**
 * Calibrations, which come newest first, as steps of a span: by how many percent each differed from the newest. Each holds until
 * the next.
 */
export function driftSteps(
  calibrations: readonly CalibrationDocument[],
  of: (it: CalibrationDocument) => number,
  until: number,
): Step[] {
  const newest = calibrations[0];
  if (!newest) return [];
  return calibrations
    .map((it, index) => ({
      start: Date.parse(it.measured_at),
      end: index === 0 ? until : Date.parse(calibrations[index - 1]?.measured_at ?? ''),
      value: differs(of(it), of(newest)),
    }))
    .filter((it) => it.end > it.start)
    .reverse();
}
