// Lists of node names as Slurm and the command line write them (`planner/src/node_list.rs`): `n1,n[08-11,20]`.

import { language } from '../texts/language.svelte';
import { whole } from '../units/format';

/** How many names a list may stand for on the page. */
const MOST_NAMES = 100_000;

export type NodeList = { names: string[] } | { error: string };

class Wrong extends Error {}
const texts = () => language.texts.nodes.nodeList;

/** The names that a list stands for, in its order, each once; or what is wrong with it. */
export function parseNodes(text: string): NodeList {
  const names = new Set<string>();
  try {
    for (const pattern of patterns(text)) {
      for (const name of expanded(pattern)) {
        names.add(name);
        if (names.size > MOST_NAMES) throw new Wrong(texts().tooMany(whole(MOST_NAMES)));
      }
    }
  } catch (error) {
    if (error instanceof Wrong) return { error: error.message };
    throw error;
  }
  return names.size > 0 ? { names: [...names] } : { error: texts().names };
}

/** The parts between commas and spaces that stand in no brackets. */
function patterns(text: string): string[] {
  const found: string[] = [];
  let [part, isOpen] = ['', false];
  for (const character of text) {
    if (character === '[') {
      if (isOpen) throw new Wrong(texts().bracketInside);
      isOpen = true;
    }
    if (character === ']') {
      if (!isOpen) throw new Wrong(texts().bracketNotOpened);
      isOpen = false;
    }
    if (!isOpen && /[\s,;]/.test(character)) {
      found.push(part);
      part = '';
    } else part += character;
  }
  if (isOpen) throw new Wrong(texts().bracketNotClosed);
  return [...found, part].filter((it) => it !== '');
}

/** Every name of a pattern, the last brackets changing first. */
function expanded(pattern: string): string[] {
  const [, before = '', inside, behind = ''] = /^([^[]*)\[([^\]]*)\](.*)$/.exec(pattern) ?? [];
  if (inside === undefined) return [pattern];
  const rest = expanded(behind);
  const numbers = inside.split(',').flatMap(numbersOf);
  if (numbers.length * rest.length > MOST_NAMES) throw new Wrong(texts().patternTooLarge(pattern, whole(MOST_NAMES)));
  return numbers.flatMap((number) => rest.map((name) => `${before}${number}${name}`));
}

/** `08`, `09`, `10` of `08-10`: numbers keep the width of the first. */
function numbersOf(range: string): string[] {
  const [, first, last = first] = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(range.trim()) ?? [];
  if (first === undefined || last === undefined) throw new Wrong(texts().noRange(range));
  const [from, count] = [Number(first), Number(last) - Number(first) + 1];
  if (count < 1) throw new Wrong(texts().rangeBackwards(range));
  if (count > MOST_NAMES) throw new Wrong(texts().rangeTooLarge(range, whole(MOST_NAMES)));
  return Array.from({ length: count }, (_, index) => String(from + index).padStart(first.length, '0'));
}

/** Ordinals as the inclusive ranges that the API takes. */
export function rangesOf(ordinals: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const ordinal of [...ordinals].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && ordinal <= last[1] + 1) last[1] = ordinal;
    else found.push([ordinal, ordinal]);
  }
  return found;
}

/** How many ordinals are in both sets of ranges; each is in order. */
export function shared(one: readonly (readonly number[])[], other: readonly (readonly number[])[]): number {
  let [sum, at] = [0, 0];
  for (const [first = 0, last = -1] of one) {
    while (at < other.length && (other[at]?.[1] ?? -1) < first) at += 1;
    for (let next = at; next < other.length && (other[next]?.[0] ?? Infinity) <= last; next += 1) {
      sum += Math.min(last, other[next]?.[1] ?? -1) - Math.max(first, other[next]?.[0] ?? 0) + 1;
    }
  }
  return sum;
}
