import { expect, test } from 'vitest';

import { Failure } from '../api/failure';
import { allOf, firstOf, lookedUp, type Part } from './lookUp';

test('what there is not, or is not for who asks, is told as that; what else goes wrong is thrown', async () => {
  expect(await lookedUp(Promise.resolve(7))).toEqual({ it: 7 });
  for (const code of ['not_found', 'forbidden']) {
    const lack = new Failure(code, 'no');
    expect(await lookedUp(Promise.reject(lack))).toEqual({ lack });
  }
  await expect(lookedUp(Promise.reject(new Failure('unreachable', 'gone')))).rejects.toThrow('gone');
});

/** The numbers below 10, three at a time. */
const asked: (number | undefined)[] = [];
async function read(cursor: number | undefined): Promise<Part<number, number>> {
  asked.push(cursor);
  const first = cursor ?? 0;
  const items = [0, 1, 2].map((it) => first + it).filter((it) => it < 10);
  return { items, next_cursor: first + 3 < 10 ? first + 3 : null };
}

test('a list is read until what is looked for is found, or to its end', async () => {
  asked.length = 0;
  expect(await firstOf(read, (it) => it > 3)).toBe(4);
  expect(asked).toEqual([undefined, 3]);
  expect(await firstOf(read, (it) => it > 9)).toBeNull();
});

test('a list is read whole, or as many pages as are wanted', async () => {
  expect(await allOf(read, 4)).toEqual({ items: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], more: false });
  expect(await allOf(read, 2)).toEqual({ items: [0, 1, 2, 3, 4, 5], more: true });
});
