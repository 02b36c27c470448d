// Quotas in words: whom a rule is about, how much it allows, and what a refusal means.

import { Failure } from '../api/failure';
import { span, when, withTimes, type Clock } from '../time/words';
import { carbon, count, energy, money, rounded } from '../units/format';

/** What a refusal says beside its words. */
export interface Refused {
  rules?: string | null;
  rules_after?: string | null;
  rule?: string;
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
  const parts = rule.split(',').map((it) => it.trim());
  const names = ['partition', 'project', 'job type', 'user'];
  const words = parts.flatMap((part, index) => {
    const name = names[index];
    if (!name || part === '*') return [];
    return [part === '/' ? `each ${name}` : `the ${name} ${part}`];
  });
  return words.length > 0 ? words.join(', ') : 'everybody together';
}

/** An amount of what a quota measures. */
export function amountWords(measure: string, amount: number, currency = ''): string {
  const word: Record<string, () => string> = {
    nodes: () => count(amount, 'node'),
    reservations: () => count(amount, 'reservation'),
    node_hours: () => `${rounded(amount)} node-hours`,
    energy_kwh: () => energy(amount * 3.6e6),
    cost: () => money(amount, currency),
    co2_kg: () => `${carbon(amount * 1000)} CO₂`,
  };
  return (word[measure]?.() ?? `${rounded(amount)} ${measure.replace(/_/g, ' ')}`).trim();
}

const PER: Record<string, string> = { day: 'a day', week: 'a week', month: 'a month', quarter: 'a quarter', year: 'a year', fixed: 'in all' };
/** ` a week`; empty where the limit is for each instant. */
export const perWords = (per: string | null | undefined) => (per ? ` ${PER[per] ?? `per ${per}`}` : '');

/** What a refusal means, a sentence each. */
export function refusalWords(refused: Refused, { now, zone }: Clock, currency = ''): string[] {
  if (refused.rule === undefined || refused.measure === undefined) {
    return ['The rules of quotas change while it would run, and the site wants each reservation under one of them.'];
  }
  const { measure, limit, used, left, asked } = refused;
  const amount = (value: number | undefined) => (value === undefined ? '?' : amountWords(measure, value, currency));
  const named = refused.rules ? `The rule “${refused.rules}”` : 'A rule of the site';
  const sentences = [`${named} allows ${ruleWords(refused.rule)} ${amount(limit)}${perWords(refused.per)}.`];
  sentences.push(`${amount(used)} ${used === 1 ? 'is' : 'are'} taken, ${amount(left)} left; this would take ${amount(asked)}.`);
  if (refused.from && refused.to) {
    sentences.push(`This counts ${span(Date.parse(refused.from), Date.parse(refused.to), now, zone)}.`);
  }
  if (refused.next_start === null) sentences.push('Within the next two months no start is known at which it fits.');
  return sentences;
}

/** The reason of a quote that a quota is in the way, with its rule and times as people read them. */
export function quotaReason(detail: string, { now, zone }: Clock): string {
  const plain = detail.replace(/^the quota (\S+,\S+,\S+,\S+) of/, (_, rule: string) => `A quota for ${ruleWords(rule)} of`);
  return `${withTimes(plain, (instant) => when(instant, now, zone))}.`;
}

/** The next start that such a reason names; null where it names none. */
export const nextStartOf = (detail: string) => /next start that keeps the quotas is (\d\S*Z)/.exec(detail)?.[1] ?? null;
