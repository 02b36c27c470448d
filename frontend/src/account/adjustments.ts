// Quota adjustments: what the form says of one, and how one is told.

import type { QuotaAdjustmentDocument, QuotaAdjustmentRequest } from '../api/schema';
import { language } from '../texts/language.svelte';
import { iso, span, when, type Clock } from '../time/words';
import { readWall } from '../time/zone';
import { amountWords, perWords } from '../ui/quota';

/** What a rule limits, in the order of the form. */
export const MEASURES = ['nodes', 'reservations', 'node_hours', 'energy_kwh', 'cost', 'co2_kg'] as const;
export type Measure = (typeof MEASURES)[number];

/** What budgets and node-hours are added up over; nothing for node-hours in the time of each reservation. */
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;

/** What the form says; whom it does not name it leaves open. Without a start it begins now, without an end it lasts. */
export interface Draft {
  user: string;
  project: string;
  partition: string;
  job_type: string;
  measure: Measure;
  limit: string;
  per: string;
  below: boolean;
  start: string;
  end: string;
  reason: string;
}
export type Errors = Partial<Record<keyof Draft, string>>;

export const empty = (): Draft => ({
  user: '', project: '', partition: '', job_type: '', measure: 'nodes', limit: '', per: '', below: false, start: '', end: '', reason: '',
});

/** Whether a measure is a budget, which needs a period. */
export const isBudget = (measure: Measure) => measure === 'energy_kwh' || measure === 'cost' || measure === 'co2_kg';

/** Whether a measure is added up over a period. */
export const hasPeriod = (measure: Measure) => measure === 'node_hours' || isBudget(measure);

/** What the form says as the API takes it, or what is wrong with it. */
export function readDraft(draft: Draft, { now, zone }: Clock): { body: QuotaAdjustmentRequest } | { errors: Errors } {
  const texts = language.texts.account.adjustments;
  const errors: Errors = {};
  const limit = draft.limit.trim().replace(',', '.');
  const isLimit = isBudget(draft.measure) ? /^(-1|\d+(\.\d+)?)$/ : /^(-1|\d+(\.\d+)?|(\d+(\.\d+)?\*)?ALL)$/;
  if (!isLimit.test(limit)) errors.limit = isBudget(draft.measure) ? texts.amountWrong : texts.limitWrong;
  if (isBudget(draft.measure) && draft.per === '') errors.per = texts.periodWrong;
  const instant = (field: 'start' | 'end') => {
    if (draft[field] === '') return null;
    const found = readWall(draft[field], zone);
    if (found === null) errors[field] = texts.timeWrong;
    return found;
  };
  const [start, end] = [instant('start'), instant('end')];
  if (start !== null && start < now) errors.start = texts.startPast;
  if (end !== null && end <= (start ?? now)) errors.end = texts.endBefore;
  if (Object.keys(errors).length > 0) return { errors };
  const named = (['user', 'project', 'partition', 'job_type'] as const).filter((it) => draft[it].trim() !== '');
  return {
    body: {
      ...Object.fromEntries(named.map((it) => [it, draft[it].trim()])),
      [draft.measure]: limit,
      ...(hasPeriod(draft.measure) && draft.per !== '' ? { per: draft.per as QuotaAdjustmentRequest['per'] } : {}),
      ...(isBudget(draft.measure) && draft.below ? { with_below: true } : {}),
      ...(start === null ? {} : { from: iso(start) }),
      ...(end === null ? {} : { to: iso(end) }),
      reason: draft.reason.trim(),
    },
  };
}

/** Whom an adjustment concerns, as rules are written. */
export const ruleOf = ({ partition, project, job_type, user }: QuotaAdjustmentDocument) => [partition, project, job_type, user].join(',');

/** What an adjustment allows, such as `36 nodes, 4 reservations`. */
export function limitWords(it: QuotaAdjustmentDocument, currency: string): string {
  const texts = language.texts.account.adjustments;
  const said = MEASURES.flatMap((measure) => {
    const limit = it[measure];
    if (limit == null) return [];
    const period = hasPeriod(measure) ? perWords(it.per) : '';
    if (limit === '-1') return [texts.unlimited(texts.measures[measure])];
    const part = /^(.*)\*ALL$/.exec(limit)?.[1];
    return [part ? `${texts.partOfAll(texts.measures[measure], part)}${period}` : `${amountWords(measure, Number(limit), currency)}${period}`];
  });
  return said.join(', ');
}

/** When an adjustment is in force. */
export function timeWords({ from, to }: QuotaAdjustmentDocument, { now, zone }: Clock): string {
  const texts = language.texts.account.adjustments;
  const start = Date.parse(from);
  if (to != null) return span(start, Date.parse(to), now, zone);
  return texts.sinceUntilEnded(when(start, now, zone), start > now);
}

/** That a quota comes from an adjustment, why and until when. */
export function adjustedWords(adjustment: { until?: string | null; reason: string }, { now, zone }: Clock): string {
  const until = adjustment.until ? when(Date.parse(adjustment.until), now, zone) : '';
  return language.texts.account.quotas.adjusted(until, adjustment.reason);
}
