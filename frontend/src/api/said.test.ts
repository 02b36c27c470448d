import { expect, test } from 'vitest';

import { Failure, fieldErrors, placedWords } from './failure';
import { partsOf, plain, said } from './said';

test('words of the API are parts of their own in a text of the page', () => {
  const text = `Rien n’est fait\u00a0: ${said('the node is held')}.`;
  expect(partsOf(text)).toEqual([
    { text: 'Rien n’est fait\u00a0: ', isSaid: false },
    { text: 'the node is held', isSaid: true },
    { text: '.', isSaid: false },
  ]);
  expect(plain(text)).toBe('Rien n’est fait\u00a0: the node is held.');
  expect(partsOf('')).toEqual([]);
  expect(partsOf(`${said('one')}\n${said('two')}`).map((it) => it.text)).toEqual(['one', '\n', 'two']);
});

test('what the API says of a field is its own, what the field is called is not', () => {
  const error = { pointer: '/nodes', place: null, detail: 'must be 1 or more' };
  expect(partsOf(placedWords(error))).toEqual([
    { text: 'Nodes: ', isSaid: false },
    { text: 'must be 1 or more', isSaid: true },
  ]);
  const failure = new Failure('invalid', 'it is wrong', [error]);
  expect(partsOf(fieldErrors(failure).nodes ?? '')).toEqual([{ text: 'must be 1 or more', isSaid: true }]);
});
