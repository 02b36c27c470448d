import { expect, test } from 'vitest';

import { placeOf } from './address';

test.each([
  ['', 'plan', ''],
  ['#/', 'plan', ''],
  ['#/nodes', 'nodes', ''],
  ['#reports', 'reports', ''],
  ['#/grid?days=2', 'grid', ''],
  // As mails and calendars have it.
  ['#/reservations/0199a2c4-7f00-7000-8000-000000000001', 'reservations', '0199a2c4-7f00-7000-8000-000000000001'],
  ['#/reservations/r1?from=mail', 'reservations', 'r1'],
  ['#/reservations/', 'reservations', ''],
  ['#/nowhere/r1', 'plan', ''],
])('%j names the page %s and %j on it', (hash, page, item) => {
  expect(placeOf(hash)).toEqual({ page, item });
});
