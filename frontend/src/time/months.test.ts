import { expect, test } from 'vitest';

import { months } from './months';

test('months begin and end as the clock of the site does, across summer time and the new year', () => {
  const [march, february, january, december] = months(Date.parse('2026-03-31T21:00:00Z'), 'Europe/Paris', 4);
  expect(march).toEqual({
    id: '2026-03', name: 'March 2026', from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z',
  });
  expect(february?.to).toBe(march?.from);
  expect([january?.id, december?.id]).toEqual(['2026-01', '2025-12']);
  expect(months(Date.parse('2026-03-31T22:00:00Z'), 'Europe/Paris', 1)[0]?.id).toBe('2026-04');
});
