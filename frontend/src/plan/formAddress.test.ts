import { expect, test } from 'vitest';

import { changed } from '../ui/address';
import { ONCE } from '../ui/recur';
import { EMPTY, type FormValues } from './form';
import { formOf, inZone, queryOf } from './formAddress';

const PARIS = 'Europe/Paris';
const full: FormValues = {
  ...EMPTY, nodes: '12', duration: '1-12', earliest: '2026-11-22T08:00', wait: 'end', until: '2026-11-24T08:00', utilisation: 75, slowest: 90,
  application: 'nemo', features: 'nvme, big', alternatives: [{ nodes: '24', duration: '18 h' }, { nodes: '', duration: '' }],
};
const weekly = { ...ONCE, every: 'week' as const, days: ['MO', 'FR'], until: '2026-12-24' };

test('a form comes back from its address as it was, in any time zone', () => {
  const query = changed({}, queryOf(full, weekly, PARIS));
  expect(query.after).toBe('2026-11-22T07:00:00Z');
  expect(formOf(query, PARIS)).toEqual({ values: full, repeat: weekly });
  expect(formOf(query, 'Asia/Kolkata').values.earliest).toBe('2026-11-22T12:30');
});

test('an empty form needs no address, and what an address says wrongly is left to be mended', () => {
  expect(changed({}, queryOf(EMPTY, ONCE, PARIS))).toEqual({});
  expect(formOf({}, PARIS)).toEqual({ values: EMPTY, repeat: ONCE });
  const { values, repeat } = formOf({ nodes: 'many', after: 'soon', utilisation: '900', repeat: 'never' }, PARIS);
  expect([values.nodes, values.earliest, values.utilisation, repeat.every]).toEqual(['many', '', 100, 'no']);
});

test('another zone shows the same instants', () => {
  const moved = inZone(full, PARIS, 'UTC');
  expect([moved.earliest, moved.until, moved.nodes]).toEqual(['2026-11-22T07:00', '2026-11-24T07:00', '12']);
});
