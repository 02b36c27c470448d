import { expect, test } from 'vitest';

import type { ScheduleItem } from '../api/schema';
import { has, lasting, onePerReservation } from './node';

const now = Date.parse('2026-03-02T10:00:00Z');

test('a set of nodes has a node by its name, else by its position', () => {
  expect(has({ nodes: ['n1', 'n2'], node_ranges: [[0, 1]] }, 'n2', 1)).toBe(true);
  expect(has({ nodes: ['n1', 'n2'], node_ranges: [[0, 1]] }, 'n3', 2)).toBe(false);
  expect(has({ node_ranges: [[0, 99], [200, 299]] }, 'n250', 250)).toBe(true);
  expect(has({ node_ranges: [[0, 99], [200, 299]] }, 'n150', 150)).toBe(false);
  expect(has({}, 'n1', 0)).toBe(false);
});

test('outages of a node are those that have not ended', () => {
  const outage = (id: string, nodes: string[], end: string | null) => ({ id, nodes, end });
  const all = [
    outage('ended', ['n1'], '2026-03-02T10:00:00Z'),
    outage('lasts', ['n1'], '2026-03-02T10:00:01Z'),
    outage('unknown', ['n1', 'n2'], null),
    outage('another', ['n2'], null),
  ];
  expect(lasting(all, 'n1', 0, now).map((it) => it.id)).toEqual(['lasts', 'unknown']);
});

test('a reservation is listed once, and each offer that is held by itself', () => {
  const item = (reservation_id: string, offer_id: string, state: string, start: string) => ({ reservation_id, offer_id, state, start }) as ScheduleItem;
  const all = [
    item('r2', 'o3', 'proposed', '2026-03-02T12:00:00Z'),
    item('r2', 'o4', 'proposed', '2026-03-02T11:00:00Z'),
    item('r1', 'o1', 'active', '2026-03-02T09:00:00Z'),
    item('r1', 'o1', 'active', '2026-03-02T09:00:00Z'),
  ];
  expect(onePerReservation(all).map((it) => it.offer_id)).toEqual(['o1', 'o4', 'o3']);
});
