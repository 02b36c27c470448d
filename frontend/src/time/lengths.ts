// Lengths of time as people and Slurm write them: the same grammar as the command line's
// (`api/src/cli/booking/time.rs`), so that `2` is two minutes on both.

import { language } from '../texts/language.svelte';

/** What `parseLength` reads, for those who wrote something else. */
export const noLength = () => language.texts.time.lengths.none;

const WHOLE = /^\d{1,9}$/;

/** Slurm's spellings: minutes, M:S, H:M:S, D-H, D-H:M and D-H:M:S. */
function slurmSeconds(text: string): number | null {
  const dash = text.indexOf('-');
  const days = dash < 0 ? null : text.slice(0, dash);
  const parts = text.slice(dash + 1).split(':');
  if (parts.length > 3 || ![...(days === null ? [] : [days]), ...parts].every((it) => WHOLE.test(it))) return null;
  const [a = 0, b = 0, c = 0] = parts.map(Number);
  if (parts.length === 3 || days !== null) return Number(days ?? 0) * 86_400 + a * 3600 + b * 60 + c;
  return a * 60 + b;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:w|wks?|weeks?)$/, 604_800],
  [/^(?:d|days?|j|jours?)$/, 86_400], // as the page writes them in French
  [/^(?:h|hrs?|hours?)$/, 3600],
  [/^(?:m|mins?|minutes?)$/, 60],
  [/^(?:s|secs?|seconds?)$/, 1],
];
const PART = /^(\d+(?:[.,]\d+)?)\s*([a-z]+)\s*(?:,\s+)?/;

/** `1h30m`, `90 min`, `2 days`, `PT1H30M`: every number has its unit, from the longest to the shortest. */
function spelt(text: string): number | null {
  let rest = text.toLowerCase();
  if (/^p(?=[\dt])/.test(rest)) rest = rest.slice(1).replace(/t(?=\d)/, ' ').trim();
  let [sum, before] = [0, Infinity];
  while (rest !== '') {
    const [all = '', number = '', word = ''] = PART.exec(rest) ?? [];
    const size = UNITS.find(([name]) => name.test(word))?.[1];
    if (size === undefined || size >= before) return null;
    rest = rest.slice(all.length);
    const isFraction = /[.,]/.test(number);
    // A fraction is of the last unit, and of one whose length no clock changes.
    if (isFraction && (rest !== '' || size > 3600)) return null;
    sum += Number(number.replace(',', '.')) * size;
    before = size;
  }
  const seconds = Math.round(sum);
  return Math.abs(sum - seconds) < 1e-6 ? seconds : null;
}

/** A length of time in seconds; null where it is none. */
export function parseLength(text: string): number | null {
  const clean = text.trim();
  if (clean === '') return null;
  const seconds = slurmSeconds(clean) ?? spelt(clean);
  return seconds !== null && seconds > 0 ? seconds : null;
}

/** `2 hours`, `1 day 12 hours`, `1 minute 30 seconds`: a length as it was understood, nothing left out. */
export function lengthWords(seconds: number): string {
  const texts = language.texts.time.lengths;
  let rest = seconds;
  const parts: string[] = [];
  for (const [unit, size] of [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]] as const) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(texts[unit](count));
  }
  return parts.join(' ') || texts.second(0);
}

/** The hint beside a field: what was understood, or what may be written. */
export function understood(text: string, otherwise = language.texts.time.lengths.hint): string {
  const seconds = parseLength(text);
  return seconds === null ? otherwise : lengthWords(seconds);
}
