import { describe, expect, it } from 'vitest';

import { Failure } from '../api/failure';
import { said } from '../api/said';
import { after, exceeded, lineErrors, placeOf, readTable, tableOf, without } from './agendaTable';

const at = (hour: number) => Date.UTC(2026, 2, 1, hour);
const step = (start: number, end: number, value: number) => ({ start: at(start), end: at(end), value });

describe('a table of an agenda', () => {
  it('is read as it is written', () => {
    const steps = [step(0, 1, 76.3), step(1, 3, -5)];
    const text = tableOf('price', steps);
    expect(text).toBe('start,end,price_per_mwh\n2026-03-01T00:00:00Z,2026-03-01T01:00:00Z,76.3\n2026-03-01T01:00:00Z,2026-03-01T03:00:00Z,-5\n');
    expect(readTable('price', text)).toEqual({ steps });
    expect(readTable('co2', 'intensity_g_per_kwh,start,end\r\n56,2026-03-01T01:00:00+01:00,2026-03-01T02:00:00+01:00\r\n')).toEqual({ steps: [step(0, 1, 56)] });
  });

  it('says on which line what is wrong', () => {
    const errors = (text: string) => {
      const read = readTable('power-cap', text);
      return 'errors' in read ? read.errors.map((it) => `${it.line} ${it.column}: ${it.detail}`) : [];
    };
    expect(errors('')).toEqual(['1 : must name the columns start,end,cap_w']);
    expect(errors('start,end,price_per_mwh\n')).toEqual(['1 : must name the columns start,end,cap_w']);
    expect(errors('start,end,cap_w')).toHaveLength(1);
    expect(errors('start,end,cap_w\n\n2026-03-01T00:00:00Z,2026-03-01T00:00:00Z,much\nnow,2026-03-01T02:00:00Z,1')).toEqual([
      '3 end: must be after start', '3 cap_w: is not a number', '4 start: is not an RFC 3339 time such as 2026-01-01T00:00:00Z',
    ]);
    expect(errors('start,end,cap_w\n2026-03-01T00:00:00Z,2026-03-01T02:00:00Z,1\n2026-03-01T01:00:00Z,2026-03-01T03:00:00Z,1')).toEqual([
      '3 start: lies before the end of the line before it',
    ]);
  });

  it('has the service’s errors at their lines', () => {
    const failure = new Failure('invalid_body', 'wrong', [{ place: 'line 3, cap_w', detail: 'must lie between 0 and 1e11 W' }, { place: 'line 4', detail: 'odd' }, { pointer: '/x', detail: 'else' }]);
    expect(lineErrors(failure)).toEqual([
      { line: 3, column: 'cap_w', detail: said('must lie between 0 and 1e11 W') }, { line: 4, column: '', detail: said('odd') },
    ]);
    expect(lineErrors(new Error('x'))).toEqual([]);
    const text = 'one\ntwo\nthree';
    expect(text.slice(...placeOf(text, 2))).toBe('two');
    expect(text.slice(...placeOf(text, 3))).toBe('three');
  });
});

describe('what is known', () => {
  it('is replaced over the whole span that is put, gaps in it too', () => {
    const known = [step(0, 4, 10), step(4, 8, 20)];
    expect(after(known, [step(2, 3, 1), step(5, 6, 2)])).toEqual([step(0, 2, 10), step(2, 3, 1), step(5, 6, 2), step(6, 8, 20)]);
    expect(after(known, [step(1, 2, 1)])).toEqual([step(0, 1, 10), step(1, 2, 1), step(2, 4, 10), step(4, 8, 20)]);
    expect(after(known, [])).toEqual(known);
  });

  it('is nothing over a span that is withdrawn', () => {
    const known = [step(0, 4, 10), step(4, 8, 20)];
    const gap = (start: number, end: number) => without(known, { start: at(start), end: at(end) });
    expect(gap(1, 3)).toEqual([step(0, 1, 10), step(3, 4, 10), step(4, 8, 20)]);
    expect(gap(3, 5)).toEqual([step(0, 3, 10), step(5, 8, 20)]);
    expect(gap(0, 9)).toEqual([]);
    expect(gap(8, 9)).toEqual(known);
  });

  it('may be less than what is reserved', () => {
    expect(exceeded([step(0, 2, 100), step(2, 4, 300), step(4, 6, 250)], [step(0, 3, 200), step(3, 8, 240)])).toEqual([
      { start: at(2), end: at(6) },
    ]);
    expect(exceeded([step(0, 2, 100)], [step(0, 3, 100)])).toEqual([]);
  });
});
