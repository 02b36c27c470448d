// Sets of nodes in words: names where there are few, numbers of ranges where there are many.

import { language } from '../texts/language.svelte';

interface NodeSet {
  nodes?: string[] | null;
  node_ranges?: number[][] | null;
}

/** How many nodes ranges hold. */
export function nodeCount(ranges: readonly number[][]): number {
  return ranges.reduce((sum, [first = 0, last = -1]) => sum + last - first + 1, 0);
}

/** `aube-3, aube-4` or `12,000 nodes in 3 ranges: 0 to 3,999, …`; ordinals count from 0. */
export function nodeWords(set: NodeSet): string {
  if (set.nodes && set.nodes.length > 0) return set.nodes.join(', ');
  const texts = language.texts.ui.nodeSets;
  const ranges = set.node_ranges ?? [];
  const shown = ranges
    .slice(0, 3)
    .map(([first = 0, last = 0]) => (first === last ? `${first}` : texts.range(first, last)));
  const more = ranges.length > 3 ? ', …' : '';
  return texts.ranges(nodeCount(ranges), ranges.length, `${shown.join(', ')}${more}`);
}
