// What one is told, and where: the choices, and how a webhook stands.

export const KINDS = [
  ['offered', 'Offers are held, or some are withdrawn'],
  ['confirmed', 'A reservation is booked'],
  ['moved', 'A reservation changed: other nodes, other times, another owner'],
  ['degraded', 'What was promised no longer holds, or holds again'],
  ['begins_soon', 'A reservation begins soon'],
  ['ended', 'A reservation has ended, was cancelled or expired'],
  ['month_report', 'A month is over: what each project took'],
] as const;

export const WEBHOOK_STATES: Record<string, string> = {
  ok: 'It takes what it is sent.',
  failing: 'It does not take what it is sent; it is tried again.',
  stopped: 'It said that it is gone, so nothing is sent any more. Name it again to begin anew.',
};

/** The kinds with one more or one less, in their order. */
export function withKind(kinds: readonly string[], kind: string, wanted: boolean): string[] {
  return KINDS.map(([it]) => it).filter((it) => (it === kind ? wanted : kinds.includes(it)));
}

/** Minutes before the start, or null where the text is none that the service takes: 1 min to a week. */
export function minutesOf(text: string): number | null {
  const minutes = Number(text.trim());
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= 10_080 ? minutes : null;
}
