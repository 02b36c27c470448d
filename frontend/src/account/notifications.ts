// What one is told, and where: the choices, and how a webhook stands.

import { language } from '../texts/language.svelte';

export const KINDS = ['offered', 'confirmed', 'moved', 'degraded', 'begins_soon', 'ended', 'month_report'] as const;

/** How a webhook takes what it is sent; empty where that is not known. */
export function webhookWords(status: string | null | undefined): string {
  const words: Record<string, string> = language.texts.account.notifications.states;
  return words[status ?? ''] ?? '';
}

/** The kinds with one more or one less, in their order. */
export function withKind(kinds: readonly string[], kind: string, wanted: boolean): string[] {
  return KINDS.filter((it) => (it === kind ? wanted : kinds.includes(it)));
}

/** Minutes before the start, or null where the text is none that the service takes: 1 min to a week. */
export function minutesOf(text: string): number | null {
  const minutes = Number(text.trim());
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= 10_080 ? minutes : null;
}
