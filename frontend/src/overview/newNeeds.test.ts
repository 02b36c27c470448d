import { expect, test } from 'vitest';

import type { Need } from './need';
import { newly, remembered } from './newNeeds';

const need = (...keys: string[]): Need => ({ keys, kind: 'warn', what: keys.join(), where: '', todo: '', page: null });

test('a thing is told once, and again where something joins it', () => {
  expect(newly([need('a'), need('b')], new Set(['a']))).toEqual([need('b')]);
  expect(newly([need('a', 'b')], new Set(['a', 'b']))).toEqual([]);
  expect(newly([need('a', 'b')], new Set(['a']))).toEqual([need('a', 'b')]);
});

test('what is over is told when it comes again, but only where all was read', () => {
  expect(remembered([need('a', 'c')], new Set(['a', 'b']), true)).toEqual(['a', 'c']);
  expect(remembered([need('c')], new Set(['a', 'b']), false)).toEqual(['a', 'b', 'c']);
});
