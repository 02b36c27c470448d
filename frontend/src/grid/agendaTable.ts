// An agenda as a table that is put: what a text says, what is wrong with it, and what it makes of what is known.

import { Failure } from '../api/failure';
import { said } from '../api/said';
import { language } from '../texts/language.svelte';
import type { Quantity } from '../ui/readAgendas';
import { iso } from '../time/words';
import type { Span, Step } from '../ui/steps';

/** The column of the value, by what the agenda is of. */
export const COLUMNS: Record<Quantity, string> = {
  price: 'price_per_mwh',
  co2: 'intensity_g_per_kwh',
  'power-cap': 'cap_w',
};

/** What is wrong on a line of a table, which counts from one. */
export interface LineError {
  line: number;
  column: string;
  detail: string;
}

/** A table of steps, as the service takes it. */
export function tableOf(quantity: Quantity, steps: readonly Step[]): string {
  const lines = steps.map((it) => `${iso(it.start)},${iso(it.end)},${it.value}`);
  return `${[`start,end,${COLUMNS[quantity]}`, ...lines].join('\n')}\n`;
}

const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:Z|z|[+-]\d\d:\d\d)$/;
const EXAMPLE = '2026-01-01T00:00:00Z';
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The steps that a table says, or every error that is seen here; the service has the last word. */
export function readTable(quantity: Quantity, text: string): { steps: Step[] } | { errors: LineError[] } {
  const texts = language.texts.grid.agendaTable;
  const names = ['start', 'end', COLUMNS[quantity]];
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: index + 1, cells: line.split(',').map((it) => it.trim().replace(/^"(.*)"$/, '$1')) }));
  const filled = lines.filter(({ cells }) => cells.some((it) => it !== ''));
  const [head, ...rows] = filled;
  const columns = names.map((name) => head?.cells.indexOf(name) ?? -1);
  if (!head || columns.includes(-1) || head.cells.length !== names.length) {
    return { errors: [{ line: head?.line ?? 1, column: '', detail: texts.noColumns(names.join(',')) }] };
  }
  if (rows.length === 0) return { errors: [{ line: head.line, column: '', detail: texts.noLines }] };
  const errors: LineError[] = [];
  const steps = rows.map(({ line, cells }) => {
    const cell = (index: number) => cells[columns[index] ?? 0] ?? '';
    const wrong = (column: number, detail: string) => errors.push({ line, column: names[column] ?? '', detail });
    const instant = (index: number) => {
      if (!TIME.test(cell(index)) || Number.isNaN(Date.parse(cell(index)))) wrong(index, texts.noTime(EXAMPLE));
      return Date.parse(cell(index));
    };
    const step = { start: instant(0), end: instant(1), value: Number(cell(2)) };
    if (step.end <= step.start) wrong(1, texts.notAfterStart);
    if (!NUMBER.test(cell(2))) wrong(2, texts.noNumber);
    return step;
  });
  steps.forEach((step, index) => {
    const before = steps[index - 1];
    if (before && step.start < before.end) errors.push({ line: rows[index]?.line ?? 0, column: 'start', detail: texts.overlaps });
  });
  return errors.length > 0 ? { errors } : { steps };
}

/** What the service says of lines of a table; empty where it says something else. */
export function lineErrors(error: unknown): LineError[] {
  if (!(error instanceof Failure)) return [];
  return error.errors.flatMap(({ place, detail }) => {
    const [, line, column = ''] = /^line (\d+)(?:, (.*))?$/.exec(place ?? '') ?? [];
    return line === undefined ? [] : [{ line: Number(line), column, detail: said(detail) }];
  });
}

/** Where a line stands in a text: its first character, and the one after its last. */
export function placeOf(text: string, line: number): [number, number] {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
  return [start, start + (lines[line - 1]?.length ?? 0)];
}

/** What is known once nothing is known of a span. */
export function without(known: readonly Step[], { start, end }: Span): Step[] {
  const parts = known.flatMap((it) => [{ ...it, end: Math.min(it.end, start) }, { ...it, start: Math.max(it.start, end) }]);
  return parts.filter((it) => it.start < it.end);
}

/** What is known once steps were put: their span is theirs, gaps in it too. */
export function after(known: readonly Step[], put: readonly Step[]): Step[] {
  const [first, last] = [put[0], put.at(-1)];
  if (!first || !last) return [...known];
  const rest = without(known, { start: first.start, end: last.end });
  return [...rest.filter((it) => it.start < first.start), ...put, ...rest.filter((it) => it.end > last.end)];
}

/** The spans in which what is reserved is more than the cap. */
export function exceeded(reserved: readonly Step[], cap: readonly Step[]): Span[] {
  const found: Span[] = [];
  for (const it of reserved) {
    for (const limit of cap) {
      const [start, end] = [Math.max(it.start, limit.start), Math.min(it.end, limit.end)];
      if (start >= end || it.value <= limit.value) continue;
      const last = found.at(-1);
      if (last?.end === start) last.end = end;
      else found.push({ start, end });
    }
  }
  return found;
}
