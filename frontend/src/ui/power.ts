// The power profile as steps, and what they say of an instant.

import type { PowerProfileDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, when, type Clock } from '../time/words';
import { power } from '../units/format';
import { isIn, type Span } from './steps';

export interface PowerStep {
  start: number;
  end: number;
  /** Booked and held, watts; the most of it in a column. */
  reserved: number;
  /** Booked, watts; the most of it in a column. */
  confirmed: number;
  /** Watts; the least of it in a column. */
  cap: number | null;
  /** What the cap leaves, watts; the least of it in a column. */
  headroom: number | null;
}

export const powerSteps = (profile: PowerProfileDocument): PowerStep[] =>
  profile.steps.map((step) => ({
    start: Date.parse(step.start),
    end: Date.parse(step.end),
    reserved: step.reserved_power_w,
    confirmed: step.confirmed_power_w,
    cap: step.cap_w ?? null,
    headroom: step.headroom_w ?? null,
  }));

function bookedWords({ reserved, confirmed }: PowerStep, coarse: boolean): string {
  const texts = language.texts.ui.power;
  const booked = power(confirmed);
  if (reserved <= confirmed) return coarse ? texts.mostBooked(booked) : texts.booked(booked);
  // The most that is booked and the most that is held need not be at the same time.
  return coarse ? texts.mostBookedAndHeld(booked, power(reserved)) : texts.bookedAndHeld(booked, power(reserved - confirmed));
}

/**
 * What holds at an instant; where the profile was put together, what holds at the most over the column
 * that it is in, with from when to when. `estimated`: where the cap is an estimate.
 */
export function tellPower(
  steps: readonly PowerStep[],
  coarse: boolean,
  at: number,
  { now, zone }: Clock,
  estimated: readonly Span[] = [],
): string {
  const step = steps.find((it) => it.start <= at && at < it.end);
  if (!step) return when(at, now, zone);
  const texts = language.texts.ui.power;
  const { estimated: asEstimate } = language.texts.ui.agendas;
  const cap = (value: number) => (coarse ? texts.leastCap : texts.cap)(isIn(estimated, at) ? asEstimate(power(value)) : power(value));
  const time = coarse ? span(step.start, step.end, now, zone) : when(at, now, zone);
  return `${time} · ${bookedWords(step, coarse)} · ${step.cap === null ? texts.noCap : cap(step.cap)}`;
}

/** The spans in which reserved power is above the cap, or in columns is so for some time. */
export function breaches(steps: readonly PowerStep[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { start, end, headroom } of steps) {
    if (headroom === null || headroom >= 0) continue;
    const before = found.at(-1);
    if (before && before.end === start) before.end = end;
    else found.push({ start, end });
  }
  return found;
}
