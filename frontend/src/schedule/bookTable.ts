// What the schedule shows as a table: reservations, or how full groups of nodes are.

import type { OccupancyDocument } from '../api/schema';
import { iso } from '../time/words';
import type { Cell } from '../ui/csv';
import { nodeCount } from '../ui/nodeWords';
import { inView, type Timed } from './bars';
import type { View } from './view';

/** The first row has the names of the columns. */
export function bookTable(items: readonly Timed[] | null, occupancy: OccupancyDocument, view: View): Cell[][] {
  if (items) {
    const { shown } = inView(items, view, Infinity);
    return [
      ['reservation', 'owner', 'state', 'start', 'end', 'node_count', 'nodes'],
      ...shown.map(({ item, start, end }): Cell[] => [
        item.reservation_id, item.owner, item.state, iso(start), iso(end), nodeCount(item.node_ranges),
        item.nodes?.join(' ') ?? item.node_ranges.map((range) => range.join('-')).join(' '),
      ]),
    ];
  }
  const { columns, column_s, row_names, row_nodes } = occupancy;
  const cells = row_names.flatMap((name, row) =>
    Array.from({ length: columns }, (_, column): Cell[] => {
      const at = row * columns + column;
      const start = Date.parse(occupancy.from) + column * column_s * 1000;
      const share = (values: readonly number[]) => (values[at] ?? 0) / 1000;
      return [name, row_nodes, iso(start), iso(start + column_s * 1000), share(occupancy.booked), share(occupancy.held), share(occupancy.out)];
    }),
  );
  return [['first_node', 'nodes', 'start', 'end', 'booked', 'held', 'out'], ...cells.filter((it) => String(it[3]) > iso(view.from) && String(it[2]) < iso(view.to))];
}
