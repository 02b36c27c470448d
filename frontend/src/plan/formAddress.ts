// What the form says, as the address has it: what is not as in an empty form. Times are instants there, so
// that a link means the same in every time zone.

import { iso } from '../time/words';
import { readWall, wallText } from '../time/zone';
import type { Query } from '../ui/address';
import { ONCE, type Repeat } from '../ui/recur';
import { EMPTY, type FormValues } from './form';

/** Texts of the form by their names in the address. */
const TEXTS = {
  nodes: 'nodes',
  for: 'duration',
  wait: 'wait',
  application: 'application',
  project: 'project',
  partition: 'partition',
  features: 'features',
  exclude: 'exclude',
  only: 'only',
  tolerance: 'tolerance',
} as const;
const TIMES = { after: 'earliest', until: 'until' } as const;
const PERCENTS = { utilisation: 'utilisation', slowest: 'slowest' } as const;

/** All names that the form has in the address. */
export const NAMES = [...Object.keys({ ...TEXTS, ...TIMES, ...PERCENTS }), 'or', 'repeat', 'days', 'rule', 'last'];

/** The address of a form: every name is there, so that what is no more said is left out of it. */
export function queryOf(values: FormValues, repeat: Repeat, zone: string): Query {
  const query: Record<string, string> = {};
  for (const [name, field] of Object.entries(TEXTS)) query[name] = values[field] === EMPTY[field] ? '' : values[field];
  for (const [name, field] of Object.entries(TIMES)) {
    const instant = values[field] === '' ? null : readWall(values[field], zone);
    query[name] = instant === null ? '' : iso(instant);
  }
  for (const [name, field] of Object.entries(PERCENTS)) {
    query[name] = values[field] === EMPTY[field] ? '' : String(values[field]);
  }
  query.or = values.alternatives.map((it) => `${it.nodes} ${it.duration}`).join(';');
  const repeated = repeat.every !== 'no';
  query.repeat = repeated ? repeat.every : '';
  query.days = repeated ? repeat.days.join() : '';
  query.rule = repeated ? repeat.rule : '';
  query.last = repeated ? repeat.until : '';
  return query;
}

/** The form that an address describes; what it says wrongly stands in the form to be mended. */
export function formOf(query: Query, zone: string): { values: FormValues; repeat: Repeat } {
  const values = structuredClone(EMPTY);
  for (const [name, field] of Object.entries(TEXTS)) values[field] = query[name] ?? EMPTY[field];
  for (const [name, field] of Object.entries(TIMES)) {
    const instant = Date.parse(query[name] ?? '');
    values[field] = Number.isNaN(instant) ? '' : wallText(instant, zone);
  }
  for (const [name, field] of Object.entries(PERCENTS)) {
    const percent = Number(query[name] ?? EMPTY[field]);
    values[field] = percent > 0 && percent <= 100 ? percent : EMPTY[field];
  }
  values.alternatives = (query.or ?? '').split(';').flatMap((text) => {
    const [, nodes, duration] = /^(\S*) (.*)$/.exec(text) ?? [];
    return nodes === undefined || duration === undefined ? [] : [{ nodes, duration }];
  });
  const repeat = structuredClone(ONCE);
  if (['day', 'week', 'month', 'rule'].includes(query.repeat ?? '')) {
    repeat.every = query.repeat as Repeat['every'];
    repeat.days = (query.days ?? '').split(',').filter((day) => day !== '');
    repeat.rule = query.rule ?? repeat.rule;
    repeat.until = query.last ?? '';
  }
  return { values, repeat };
}

/** Wall times of the form as clocks of another zone show the same instants. */
export function inZone(values: FormValues, before: string, zone: string): FormValues {
  const moved = { ...values };
  for (const field of Object.values(TIMES)) {
    const instant = values[field] === '' ? null : readWall(values[field], before);
    if (instant !== null) moved[field] = wallText(instant, zone);
  }
  return moved;
}
