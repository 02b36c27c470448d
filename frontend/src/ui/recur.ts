// Repetitions: rules of RFC 5545 made of choices, and in words.

import { language } from '../texts/language.svelte';
import { HOUR } from '../time/words';
import { readWall } from '../time/zone';

/** The days of a week as rules have them, the first of pairs. */
export const DAYS = [['MO'], ['TU'], ['WE'], ['TH'], ['FR'], ['SA'], ['SU']] as const;

export interface Repeat {
  every: 'no' | 'day' | 'week' | 'month' | 'rule';
  /** Of a week: `MO`; none means the day of the first one. */
  days: string[];
  /** The last day, as `date` fields write it; empty where the rule says when it ends. */
  until: string;
  rule: string;
}
export const ONCE: Repeat = { every: 'no', days: [], until: '', rule: '' };

/** The rule that choices mean; empty where nothing is repeated. */
export function ruleOf({ every, days, rule }: Repeat): string {
  if (every === 'day') return 'FREQ=DAILY';
  if (every === 'month') return 'FREQ=MONTHLY';
  if (every === 'rule') return rule.trim().replace(/^RRULE:/i, '');
  if (every !== 'week') return '';
  const chosen = DAYS.filter(([day]) => days.includes(day)).map(([day]) => day);
  return chosen.length > 0 ? `FREQ=WEEKLY;BYDAY=${chosen.join(',')}` : 'FREQ=WEEKLY';
}

export type Recurrence = { recur: string; until: number | null } | { errors: { rule?: string; until?: string } };

/** The rule with its end, or what is wrong. The last day is meant as a whole. */
export function recurrenceOf(repeat: Repeat, zone: string): Recurrence {
  const texts = language.texts.ui.recur;
  const recur = ruleOf(repeat);
  if (!/^FREQ=/i.test(recur)) return { errors: { rule: texts.noRule } };
  const ends = /(^|;)(COUNT|UNTIL)=/i.test(recur);
  if (repeat.until === '') return ends ? { recur, until: null } : { errors: { until: texts.noEnd } };
  const day = readWall(`${repeat.until}T00:00`, zone);
  if (day === null) return { errors: { until: texts.noDay } };
  // A day later by the wall clock, whatever clocks do on it.
  const next = new Date(Date.parse(`${repeat.until}T00:00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
  return { recur, until: readWall(`${next}T00:00`, zone) };
}

const UNITS = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY', 'HOURLY'] as const;

/** `every week on Mon and Thu`; the rule itself where it says more than that. */
export function recurWords(recur: string): string {
  const parts = Object.fromEntries(recur.split(';').map((part) => part.split('=') as [string, string]));
  const { FREQ = '', INTERVAL, BYDAY, COUNT, UNTIL, ...others } = parts;
  const unit = UNITS.find((it) => it === FREQ);
  const named = (BYDAY ?? '').split(',').filter((it) => it !== '');
  const days = named.flatMap((day) => DAYS.find(([it]) => it === day) ?? []);
  if (!unit || Object.keys(others).some((it) => it !== 'WKST') || days.length < named.length) return recur;
  const until = UNTIL ? `${UNTIL.slice(0, 4)}-${UNTIL.slice(4, 6)}-${UNTIL.slice(6, 8)}` : '';
  return language.texts.ui.recur.words(unit, Number(INTERVAL ?? 1), days, COUNT ?? '', until);
}

/** What is the least in each occurrence, in words. */
export const chooseOptions = () => Object.entries(language.texts.ui.recur.choose);
export const chooseWords = (choose: string) => chooseOptions().find(([least]) => least === choose.split('_')[0])?.[1] ?? choose;
