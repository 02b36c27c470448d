import { describe, expect, it } from 'vitest';

import type { OutageDocument, ScheduleItem } from '../api/schema';
import { displacedOf, displacedWords, draftOf, patchOf, readDraft, requestOf, spanOf, timeWords, type Draft } from './outages';

const now = Date.parse('2026-03-01T12:00:00Z');
const clock = { now, zone: 'Europe/Paris' };
const draft: Draft = { nodes: 'n[1-2]', start: '2026-03-02T08:00', end: '2026-03-02T12:00', reason: ' new fans ' };
const outageOf = (values: Partial<Draft>) => {
  const read = readDraft({ ...draft, ...values }, clock);
  if (!('outage' in read)) throw new Error(JSON.stringify(read.errors));
  return read.outage;
};
const errorsOf = (values: Partial<Draft>) => {
  const read = readDraft({ ...draft, ...values }, clock);
  return 'errors' in read ? read.errors : {};
};

describe('the form of an outage', () => {
  it('says nodes, a span and a reason', () => {
    expect(requestOf(outageOf({}))).toEqual({
      nodes: ['n1', 'n2'], reason: 'new fans', start: '2026-03-02T07:00:00Z', end: '2026-03-02T11:00:00Z',
    });
    expect(requestOf(outageOf({ start: '', end: '' }))).toEqual({ nodes: ['n1', 'n2'], reason: 'new fans' });
  });

  it('says at each field what is wrong', () => {
    expect(errorsOf({ nodes: '' })).toEqual({ nodes: 'Names of nodes, such as n1,n[4-7].' });
    expect(errorsOf({ end: '2026-03-02T08:00' })).toEqual({ end: 'A time after the start.' });
    expect(errorsOf({ start: '', end: '2026-03-01T13:00' })).toEqual({ end: 'A time to come.' });
    expect(errorsOf({ reason: ' ' })).toHaveProperty('reason');
  });

  it('begins with an outage that there is', () => {
    const outage = { start: '2026-03-01T11:00:00Z', end: '2026-03-01T15:00:00Z', reason: 'fans' } as OutageDocument;
    expect(draftOf(outage, ['n1', 'n2'], clock)).toEqual({ nodes: 'n1,n2', start: '', end: '2026-03-01T16:00', reason: 'fans' });
    expect(draftOf({ ...outage, start: '2026-03-01T13:00:00Z', end: null }, [], clock)).toMatchObject({ start: '2026-03-01T14:00', end: '' });
  });

  it('changes what was touched, and nothing else', () => {
    const patch = (values: Partial<Draft>) => patchOf(outageOf(values), { ...draft, ...values }, draft);
    expect(patch({})).toEqual({});
    expect(patch({ nodes: 'n[1-3]' })).toEqual({ nodes: ['n1', 'n2', 'n3'] });
    expect(patch({ start: '', end: '' })).toEqual({ start: null, end: null });
    expect(patch({ end: '2026-03-02T13:30', reason: 'disk' })).toEqual({ end: '2026-03-02T12:30:00Z', reason: 'disk' });
  });
});

describe('an outage', () => {
  const item = (values: Partial<ScheduleItem>) => ({
    reservation_id: 'a', owner: 'ada', state: 'confirmed', offer_id: '', node_ranges: [[0, 3]],
    start: '2026-03-01T13:00:00Z', end: '2026-03-01T15:00:00Z', ...values,
  }) as ScheduleItem;
  const time = { from: Date.parse('2026-03-01T14:00:00Z'), to: Date.parse('2026-03-01T18:00:00Z') };

  it('takes nodes from those who hold them meanwhile', () => {
    const items = [
      item({}),
      item({ reservation_id: 'b', state: 'proposed', node_ranges: [[2, 2]] }),
      item({ reservation_id: 'b', state: 'proposed', node_ranges: [[1, 3]] }),
      item({ reservation_id: 'c', node_ranges: [[9, 12]] }),
      item({ reservation_id: 'd', end: '2026-03-01T14:00:00Z' }),
      item({ reservation_id: 'e', start: '2026-03-01T18:00:00Z', end: '2026-03-01T19:00:00Z' }),
    ];
    const found = displacedOf(items, [[1, 2]], time);
    expect(found.map((it) => [it.reservation, it.nodes])).toEqual([['a', 2], ['b', 2]]);
    expect(displacedWords(found)).toMatch(/^2 reservations hold some of these nodes\./);
    expect(displacedWords([{ ...(found[0] as (typeof found)[0]), state: 'active' }])).toMatch(/^1 reservation, 1 of which runs now, holds/);
    expect(displacedWords([])).toMatch(/^No reservation/);
  });

  it('takes by a change what it did not take before', () => {
    // It has n1 and n2 from 13 to 16, and is to have n1 to n3 until 18.
    const taken = { added: [[3, 3]], from: Date.parse('2026-03-01T13:00:00Z'), to: Date.parse('2026-03-01T16:00:00Z') };
    const items = [
      item({}),
      item({ reservation_id: 'b', node_ranges: [[1, 2]] }),
      item({ reservation_id: 'c', node_ranges: [[1, 2]], end: '2026-03-01T17:00:00Z' }),
    ];
    const found = displacedOf(items, [[1, 3]], time, taken);
    expect(found.map((it) => [it.reservation, it.nodes])).toEqual([['a', 1], ['c', 2]]);
    expect(displacedWords(found, true)).toMatch(/^The change takes nodes from 2 reservations that did not lose them before\./);
    expect(displacedWords([], true)).toMatch(/^The change takes nodes from no reservation/);
  });

  it('takes nodes from now on, and for a while where no end is known', () => {
    expect(spanOf({ start: now - 1000, end: now + 5000 }, now)).toEqual({ from: now, to: now + 5000 });
    expect(spanOf({ start: null, end: null }, now).to - now).toBe(60 * 86_400_000);
  });

  it('is told by its time', () => {
    expect(timeWords({ start: '2026-03-01T11:00:00Z', end: null }, clock)).toBe('since today 12:00, no end known');
    expect(timeWords({ start: '2026-03-01T13:00:00Z', end: null }, clock)).toBe('from today 14:00, no end known');
    expect(timeWords({ start: '2026-03-01T13:00:00Z', end: '2026-03-01T14:00:00Z' }, clock)).toBe('today 14:00 to 15:00');
  });
});
