import { describe, expect, it } from 'vitest';

import type { FindingDocument, OutageDocument, PowerActionDocument, PowerDocument, ScheduleItem, ShownNode, SlurmOccupant } from '../api/schema';
import { csvOf, factorWords, linesOf, needsAll, nextOrder, wantedOf, type Known } from './table';

const at = Date.parse('2026-03-01T12:00:00Z');
const span = { start: '2026-03-01T10:00:00Z', end: '2026-03-01T14:00:00Z' };
const nodes: ShownNode[] = Array.from({ length: 12 }, (_, ordinal) => ({
  ordinal, name: `n${ordinal + 1}`, idle_power_w: 90, max_power_w: 200, partitions: [ordinal < 8 ? 'batch' : 'gpu'],
}));
const action = (node: string, values: Partial<PowerActionDocument>) => ({ node, action: 'off', state: 'done', ...values }) as PowerActionDocument;
const held = (reservation_id: string, owner: string, state: string, node_ranges: number[][]) =>
  ({ reservation_id, owner, state, node_ranges, offer_id: '', ...span }) as ScheduleItem;
const power = {
  reservations: [
    { reservation_id: 'a', owner: 'ada', nodes: 2, measured_nodes: 2, measured_power_w: 300, planned_power_w: 250, planned_of_measured_w: 250 },
    { reservation_id: 'b', owner: 'bob', nodes: 1, measured_nodes: 0, measured_power_w: null, planned_power_w: 150, planned_of_measured_w: 0 },
  ],
} as PowerDocument;
const known: Known = {
  at,
  outages: [
    { node_ranges: [[0, 1]], reason: 'new fans', ...span } as OutageDocument,
    { node_ranges: [[2, 2]], reason: 'to come', start: '2026-03-01T13:00:00Z', end: null } as OutageDocument,
  ],
  held: [held('a', 'ada', 'active', [[1, 3]]), held('b', 'bob', 'active', [[4, 4]]), held('c', 'eve', 'proposed', [[4, 5]])],
  open: [action('n7', { state: 'ordered' }), action('n8', { state: 'proposed' })],
  final: [action('n9', { action: 'wake' }), action('n9', {}), action('n10', {}), action('n11', { state: 'refused' }), action('n3', { action: 'limit', limit_w: 150 })],
  power,
  findings: [{ node: 'n4', max_power_w: 200, measured_max: { power_w: 210, spread_w: 1, quarters: 30 } } as FindingDocument],
  occupied: [{ by: 'job 7', node_ranges: [[11, 11]], ...span } as SlurmOccupant],
};
const lines = linesOf(nodes, known);
const wanted = { search: '', state: '', partition: '', order: '' };
const named = (of: Partial<typeof wanted>) => wantedOf(lines, { ...wanted, ...of }).map((line) => line.name);

describe('nodes as lines of a table', () => {
  it('are in the state that counts most', () => {
    expect(lines.map((line) => line.state)).toEqual([
      'out', 'out', 'used', 'used', 'used', 'held', 'sleeping', 'free', 'free', 'asleep', 'free', 'occupied',
    ]);
    expect(lines[0]?.because).toBe('new fans');
    expect(lines[2]?.limit).toBe(150);
    expect(lines[1]?.holder?.owner).toBe('ada');
  });

  it('draw what is measured, planned or idle, and what is not known is not told', () => {
    expect([2, 4, 7, 9, 11].map((index) => lines[index]?.draw)).toEqual([
      { watts: 150, by: 'measured' }, { watts: 150, by: 'planned' }, { watts: 90, by: 'idle' }, null, null,
    ]);
  });

  it('are the same where only some of them are looked at', () => {
    expect(linesOf(nodes.slice(3, 7), known)).toEqual(lines.slice(3, 7));
  });

  it('are found by words, state and partition', () => {
    expect(named({ search: 'ADA use' })).toEqual(['n3', 'n4']);
    expect(named({ state: 'out' })).toEqual(['n1', 'n2']);
    expect(named({ partition: 'gpu', search: 'free' })).toEqual(['n9', 'n11']);
  });

  it('are ordered by a column, both ways', () => {
    expect(named({ order: 'name' }).slice(0, 3)).toEqual(['n1', 'n2', 'n3']);
    expect(named({ order: '-name' }).slice(0, 3)).toEqual(['n12', 'n11', 'n10']);
    expect(named({ order: '-calibration' })[0]).toBe('n4');
    expect(named({ order: '-power' }).slice(0, 3)).toEqual(['n3', 'n4', 'n5']);
    expect(['', 'name', '-name'].map((it) => nextOrder(it, 'name'))).toEqual(['name', '-name', '']);
  });

  it('need not all be read where nothing is asked of them', () => {
    expect(needsAll(wanted)).toBe(false);
    expect(needsAll({ ...wanted, search: ' ' })).toBe(false);
    expect(needsAll({ ...wanted, state: 'free' })).toBe(true);
  });

  it('have a factor of their calibration', () => {
    expect(factorWords({ finding: lines[3]?.finding ?? null, alpha: null })).toBe('× 1.05');
    expect(factorWords({ finding: null, alpha: 0.75 })).toBe('alpha 0.75');
    expect(factorWords({ finding: null, alpha: null })).toBe('–');
  });

  it('are a table for other programs', () => {
    const [head, first] = csvOf([{ ...(lines[0] as (typeof lines)[0]), because: 'fans, "new"' }]).split('\n');
    expect(head?.split(',').length).toBe(13);
    expect(first).toBe('n1,batch,,Out of service,"fans, ""new""",,,,,90,200,,');
  });
});
