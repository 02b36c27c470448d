// How one stands: by shares, and by quotas.

import type { QuotaDocument, ShareDocument, SharesDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { span, type Clock } from '../time/words';
import { carbon, energy, fixed, money, rounded } from '../units/format';

/** What a site counts, such as `the time of nodes`. */
export function countedWords(counts: string): string {
  const words: Record<string, string> = language.texts.account.standing.counts;
  return words[counts] ?? counts;
}

/** A factor for people: how well one stands, from 0 to 1. */
export const factorText = (factor: number) => fixed(factor, 3);

export function factorWords(factor: number): string {
  const { factors } = language.texts.account.standing;
  if (factor >= 0.9) return factors.veryWell;
  if (factor > 0.55) return factors.well;
  return factor >= 0.45 ? factors.even : factors.lessWell;
}

/** An amount of what a site counts. */
export function usedText(counts: string, amount: number, currency: string): string {
  const texts = language.texts.account.standing;
  if (counts === 'node_seconds') return texts.nodeHours(rounded(amount / 3600));
  if (counts === 'cost') return money(amount, currency);
  return counts === 'co2' ? texts.co2(carbon(amount)) : energy(amount);
}

/** What of an account counts. */
export function usage(account: ShareDocument, { counts }: SharesDocument): number {
  if (counts === 'node_seconds') return account.usage_node_seconds;
  if (counts === 'cost') return account.usage_cost;
  return counts === 'co2' ? account.usage_co2_g : account.usage_energy_j;
}

/** One's own accounts first, then those above them and beside them. */
export function byNearness(accounts: readonly ShareDocument[], me: string): ShareDocument[] {
  const rank = (it: ShareDocument) => (it.is_user && it.account === me ? 0 : it.is_user ? 2 : 1);
  return [...accounts].sort((a, b) => rank(a) - rank(b) || a.account.localeCompare(b.account));
}

/** How much of a quota is used, 0 to 1. */
export const usedPart = ({ used, limit }: QuotaDocument) => (limit > 0 ? Math.min(1, Math.max(0, used / limit)) : 1);

/** Quotas of which most is used first. */
export const fullestFirst = (quotas: readonly QuotaDocument[]) => [...quotas].sort((a, b) => usedPart(b) - usedPart(a));

/** Whether a quota is about everything that is searched for. */
export function matchesQuota({ rules, measure, partition, project, job_type, user }: QuotaDocument, search: string): boolean {
  const text = [rules, measure.replaceAll('_', ' '), partition, project, job_type, user].join(' ').toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The time that a quota is about: `now` of what counts at each instant. */
export function timeWords({ from, to }: QuotaDocument, { now, zone }: Clock): string {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return end - start <= 1000 ? language.texts.account.quotas.now : span(start, end, now, zone);
}
