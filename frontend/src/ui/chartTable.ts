// Charts over time as tables: a row for each span in which all of their functions hold still.

import { iso } from '../time/words';
import type { Cell } from './csv';
import { isIn, valueAt, type Span, type Step } from './steps';

export interface Column {
  name: string;
  steps: readonly Step[];
  /** Where its values are estimates, in a column of its own; absent where none can be. */
  estimated?: readonly Span[];
}

/** From one instant to another: `start`, `end`, and a column for each function. */
export function tableOver(columns: readonly Column[], from: number, to: number): Cell[][] {
  const edges = new Set([from, to]);
  for (const { steps, estimated = [] } of columns) {
    for (const { start, end } of [...steps, ...estimated]) {
      for (const edge of [start, end]) if (edge > from && edge < to) edges.add(edge);
    }
  }
  const at = [...edges].sort((a, b) => a - b);
  const names = columns.flatMap(({ name, estimated }) => (estimated ? [name, `${name}_estimated`] : [name]));
  const rows = at.slice(0, -1).map((start, index): Cell[] => [
    iso(start),
    iso(at[index + 1] ?? to),
    ...columns.flatMap(({ steps, estimated }): Cell[] => {
      const value = valueAt(steps, start);
      return estimated ? [value, isIn(estimated, start) ? 'yes' : 'no'] : [value];
    }),
  ]);
  return [['start', 'end', ...names], ...rows];
}
