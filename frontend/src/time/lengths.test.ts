import { expect, test } from 'vitest';

import { lengthWords, parseLength, understood } from './lengths';

// As in `api/src/cli/booking/time.rs`.
test('lengths mean what they mean to Slurm and to the command line', () => {
  for (const [text, seconds] of [
    ['2', 120],
    ['90', 5400],
    ['1:30', 90],
    ['90:00', 5400],
    ['1:30:00', 5400],
    ['1-12', 129_600],
    ['1-12:30', 131_400],
    ['1-12:30:15', 131_415],
    ['2h', 7200],
    ['90 min', 5400],
    ['90min', 5400],
    ['1h30m', 5400],
    ['1 h 30 min', 5400],
    ['1 hour, 30 minutes', 5400],
    ['1.5h', 5400],
    ['1,5 h', 5400],
    ['2 days', 172_800],
    ['2 weeks', 1_209_600],
    ['20s', 20],
    ['PT1H30M', 5400],
    ['P1DT2H', 93_600],
    ['1 j 2 h', 93_600],
  ] as const) {
    expect([text, parseLength(text)]).toEqual([text, seconds]);
  }
});

test('what is no length is refused, and nothing is guessed', () => {
  for (const text of ['', '0', '0:00', 'soon', '1h30', '1.5', '-5', '1-', '1-2-3', '1:2:3:4', '30m 1h', '1.5h 3m', '1.5s', '2 months', 'h']) {
    expect([text, parseLength(text)]).toEqual([text, null]);
  }
});

test('a length is told back as it was understood', () => {
  expect(lengthWords(7200)).toBe('2 hours');
  expect(understood('2')).toBe('2 minutes');
  expect(understood('1:30')).toBe('1 minute 30 seconds');
  expect(understood('1-12:00')).toBe('1 day 12 hours');
  expect(understood('soon', 'such as 2h')).toBe('such as 2h');
});
