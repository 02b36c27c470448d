import { expect, test } from 'vitest';

import { calendar } from './ics';

const NOW = Date.parse('2026-11-21T08:00:00.400Z');

test('calendar files fold long lines and escape what means something', () => {
  const text = calendar(
    [{ id: 'r1', start: NOW, end: NOW + 7_200_000, summary: 'Wattbook: 8 nodes', description: `a, b; ${'é'.repeat(60)}` }],
    NOW,
  );
  expect(text).toContain('DTSTART:20261121T080000Z\r\n');
  expect(text).toContain('DESCRIPTION:a\\, b\\; é');
  const bytes = text.split('\r\n').map((line) => new TextEncoder().encode(line).length);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(75);
});
