// Quotas in words: whom a rule is about, how much it allows, and what a refusal means.

import { Failure } from '../api/failure';
import { said } from '../api/said';
import { language } from '../texts/language.svelte';
import { span, when, withTimes, type Clock } from '../time/words';
import { carbon, energy, money, rounded } from '../units/format';

/** What a refusal says beside its words. */
export interface Refused {
  rules?: string | null;
  rules_after?: string | null;
  rule?: string;
  /** The adjustment that the rule is of, where it is none of the settings. */
  adjustment?: string;
  measure?: string;
  limit?: number;
  used?: number;
  left?: number;
  asked?: number;
  per?: string | null;
  from?: string;
  to?: string;
  next_start?: string | null;
}

/** The refusal that a failure tells of, if it is one by a quota. */
export function refusedByQuota(error: unknown): Refused | null {
  return error instanceof Failure && error.code === 'quota' ? (error.problem as Refused) : null;
}

/** `the partition gpu, each user` of `gpu,*,*,/`. */
export function ruleWords(rule: string): string {
  const texts = language.texts.ui.quotas;
  const parts = rule.split(',').map((it) => it.trim());
  const kinds = ['partition', 'project', 'jobType', 'user'] as const;
  const words = parts.flatMap((part, index) => {
    const kind = kinds[index];
    if (!kind || part === '*') return [];
    return [part === '/' ? texts.each[kind] : texts.one[kind](part)];
  });
  return words.length > 0 ? words.join(', ') : texts.everybody;
}

/** An amount of what a quota measures. */
export function amountWords(measure: string, amount: number, currency = ''): string {
  const texts = language.texts.ui.quotas;
  const word: Record<string, () => string> = {
    nodes: () => texts.nodes(amount),
    reservations: () => texts.reservations(amount),
    node_hours: () => texts.nodeHours(rounded(amount)),
    energy_kwh: () => energy(amount * 3.6e6),
    cost: () => money(amount, currency),
    co2_kg: () => texts.co2(carbon(amount * 1000)),
  };
  return (word[measure]?.() ?? `${rounded(amount)} ${measure.replace(/_/g, ' ')}`).trim();
}

/** ` a week`; empty where the limit is for each instant. */
export function perWords(per: string | null | undefined): string {
  const texts = language.texts.ui.quotas;
  const words: Record<string, string> = texts.per;
  return per ? ` ${words[per] ?? texts.perOther(per)}` : '';
}

/** What a refusal means, a sentence each. */
export function refusalWords(refused: Refused, { now, zone }: Clock, currency = ''): string[] {
  const texts = language.texts.ui.quotas;
  if (refused.rule === undefined || refused.measure === undefined) return [texts.rulesChange];
  const { measure, limit, used, left, asked } = refused;
  const amount = (value: number | undefined) => (value === undefined ? '?' : amountWords(measure, value, currency));
  const allows = [ruleWords(refused.rule), amount(limit), perWords(refused.per)] as const;
  const sentences = [refused.adjustment === undefined ? texts.allows(refused.rules ?? '', ...allows) : texts.adjusted(...allows)];
  sentences.push(texts.taken(amount(used), used === 1, amount(left), amount(asked)));
  if (refused.from && refused.to) {
    sentences.push(texts.counts(span(Date.parse(refused.from), Date.parse(refused.to), now, zone)));
  }
  if (refused.next_start === null) sentences.push(texts.noStart);
  return sentences;
}

/** The reason of a quote that a quota is in the way, with its rule and times as people read them. */
export function quotaReason(detail: string, { now, zone }: Clock): string {
  const { reason, reasonAdjusted } = language.texts.ui.quotas;
  const told = detail
    .replace(/^(the quota adjustment) (\S+,\S+,\S+,\S+)(.*)/s, (_, begin: string, rule: string, rest: string) => reasonAdjusted(ruleWords(rule), said(rest), said(`${begin}${rest}`)))
    .replace(/^(the quota) (\S+,\S+,\S+,\S+) of(.*)/s, (_, begin: string, rule: string, rest: string) => reason(ruleWords(rule), said(rest), said(`${begin} of${rest}`)));
  return `${withTimes(told === detail ? said(detail) : told, (instant) => when(instant, now, zone))}.`;
}

/** The next start that such a reason names; null where it names none. */
export const nextStartOf = (detail: string) => /next start that keeps the quotas is (\d\S*Z)/.exec(detail)?.[1] ?? null;
