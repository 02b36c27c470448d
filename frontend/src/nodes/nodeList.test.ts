import { expect, test } from 'vitest';

import { parseNodes, rangesOf, shared } from './nodeList';

test('nodes are named as Slurm names them', () => {
  expect(parseNodes('n1, n[08-10,20]')).toEqual({ names: ['n1', 'n08', 'n09', 'n10', 'n20'] });
  expect(parseNodes('rack[1-2]n[1-2]')).toEqual({ names: ['rack1n1', 'rack1n2', 'rack2n1', 'rack2n2'] });
  expect(parseNodes('n1\nn2;n1')).toEqual({ names: ['n1', 'n2'] });
});

test('what is wrong with a list is told', () => {
  expect(parseNodes(' ')).toEqual({ error: 'Names of nodes, such as n1,n[4-7].' });
  expect(parseNodes('n[1-4')).toEqual({ error: 'A bracket is not closed.' });
  expect(parseNodes('n1]')).toEqual({ error: 'A closing bracket that none opens.' });
  expect(parseNodes('n[1[2]]')).toEqual({ error: 'A bracket stands inside brackets.' });
  expect(parseNodes('n[4-1]')).toEqual({ error: 'The range 4-1 ends before it begins.' });
  expect(parseNodes('n[x]')).toEqual({ error: '“x” is no number or range of numbers, such as 4-7.' });
  expect(parseNodes('n[1-999999999]')).toHaveProperty('error');
  expect(parseNodes('n[1-9999]m[1-9999]')).toHaveProperty('error');
});

test('ordinals become ranges, of which some are shared', () => {
  const ranges = rangesOf([7, 1, 2, 3, 9]);
  expect(ranges).toEqual([[1, 3], [7, 7], [9, 9]]);
  expect(shared(ranges, [[0, 1], [3, 8]])).toBe(3);
  expect(shared([[0, 9]], ranges)).toBe(5);
  expect(shared(ranges, [[4, 6]])).toBe(0);
});
