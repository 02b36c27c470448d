import { expect, test } from 'vitest';

import type { OccupancyDocument, OutageDocument, PowerActionDocument, PowerLogEntryDocument, QuarterDocument, ScheduleItem } from '../api/schema';
import { entriesOf, measuredSteps, spansOf } from './activity';

test('what happened to a node is told with the latest first', () => {
  const entries = entriesOf({
    held: [{ reservation_id: 'r', offer_id: 'o', owner: 'ada', state: 'completed', start: '2026-03-01T10:00:00Z', end: '2026-03-01T11:00:00Z', node_ranges: [] } as ScheduleItem],
    outages: [{ id: 'x', owner: 'slurm', reason: 'fans', start: '2026-03-01T12:00:00Z', end: null } as OutageDocument],
    log: [
      { id: 1, at: '2026-03-01T11:00:00Z', node: 'n1', action_id: 7, what: 'approved', by: 'carol', because: null },
      { id: 2, at: '2026-03-01T11:30:00Z', node: 'n1', action_id: null, what: 'held', by: null, because: 'warm' },
    ] as PowerLogEntryDocument[],
    actions: [{ id: 7, action: 'wake', reservation_id: 'r' } as PowerActionDocument],
  });
  expect(entries.map(({ what, who, why, reservation }) => [what, who, why, reservation])).toEqual([
    ['Out of service', 'by Slurm', 'fans', ''],
    ['Kept on', 'the service', 'warm', ''],
    ['Approved: waking', 'carol', '', 'r'],
    ['Reservation: completed', 'ada', '', 'r'],
  ]);
  expect(entries.map((it) => it.owner)).toEqual(['', '', 'ada', 'ada']);
  expect(entries.map((it) => it.lasts)).toEqual([true, false, false, false]);
});

test('columns that follow each other are one span', () => {
  const picture = { from: '2026-03-01T00:00:00Z', column_s: 3600, columns: 5 } as OccupancyDocument;
  const at = (hour: number) => Date.parse(picture.from) + hour * 3_600_000;
  expect(spansOf(picture, [1, 1000, 0, 0, 3])).toEqual([{ start: at(0), end: at(2) }, { start: at(4), end: at(5) }]);
});

test('the power of a quarter-hour is over what was measured of it', () => {
  const quarter = (start: string, measured_j: number, measured_s: number) => ({ start, measured_j, measured_s, missing_s: 900 - measured_s }) as QuarterDocument;
  const steps = measuredSteps([quarter('2026-03-02T09:00:00Z', 90_000, 900), quarter('2026-03-02T09:15:00Z', 90_000, 450), quarter('2026-03-02T09:30:00Z', 100, 449)]);
  const at = Date.parse('2026-03-02T09:00:00Z');
  expect(steps).toEqual([
    { start: at, end: at + 900_000, value: 100 },
    { start: at + 900_000, end: at + 1_800_000, value: 200 },
  ]);
});
