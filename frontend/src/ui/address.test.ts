import { expect, test } from 'vitest';

import { changed, hashOf, hrefOf, placeOf, thingOf } from './address';

test.each([
  ['', 'plan', '', {}],
  ['#/', 'plan', '', {}],
  ['#/nodes', 'nodes', '', {}],
  ['#reports', 'reports', '', {}],
  ['#/grid?days=2', 'grid', '', { days: '2' }],
  // As mails and calendars have it.
  ['#/reservations/0199a2c4-7f00-7000-8000-000000000001', 'reservations', '0199a2c4-7f00-7000-8000-000000000001', {}],
  ['#/reservations/r1?from=mail&search=a%26b', 'reservations', 'r1', { from: 'mail', search: 'a&b' }],
  ['#/reservations/', 'reservations', '', {}],
  ['#/nowhere/r1', 'plan', '', {}],
])('%j names the page %s and %j on it', (hash, page, item, query) => {
  expect(placeOf(hash)).toEqual({ page, item, query });
});

test('an address says again what it was made of', () => {
  const place = { page: 'plan' as const, item: '', query: { after: '2026-11-27T07:00:00Z', features: 'nvme, big', for: '1?2' } };
  expect(hashOf(place)).toBe('#/plan?after=2026-11-27T07:00:00Z&features=nvme,+big&for=1%3F2');
  expect(placeOf(hashOf(place))).toEqual(place);
  expect(hashOf({ page: 'schedule', item: '', query: {} })).toBe('#/schedule');
});

test.each([
  ['#/reservations/r1', { kind: 'reservation', name: 'r1' }],
  ['#/nodes/aube-3', { kind: 'node', name: 'aube-3' }],
  ['#/nodes/rack%201/n%231', { kind: 'node', name: 'rack 1/n#1' }],
  ['#/nodes/100%', { kind: 'node', name: '100%' }],
  ['#/simulate/s1?shown=s2', { kind: 'simulation', name: 's1' }],
  ['#/grid/sources/price-eu', { kind: 'source', name: 'price-eu' }],
  ['#/grid/negotiations/n1', { kind: 'negotiation', name: 'n1' }],
  // Parts of the pages themselves.
  ['#/reservations/series', null],
  ['#/reservations', null],
  ['#/grid/sources/', null],
  ['#/grid/anything', null],
  ['#/plan/2026-11-27T07:00:00Z', null],
])('%j names the page of %j', (hash, thing) => {
  expect(thingOf(placeOf(hash))).toEqual(thing);
});

test.each([
  ['reservation', 'r1', '#/reservations/r1'],
  ['node', 'rack 1/n#1?%', '#/nodes/rack%201/n%231%3F%25'],
  ['source', 'eu/price', '#/grid/sources/eu/price'],
  ['negotiation', 'n1', '#/grid/negotiations/n1'],
] as const)('the page of the %s %j has the address %j, which names it', (kind, name, href) => {
  expect(hrefOf(kind, name)).toBe(href);
  expect(thingOf(placeOf(href))).toEqual({ kind, name });
});

test('what is empty is not in the address', () => {
  expect(changed({ tab: 'past', page: '2' }, { page: '', search: 'ada' })).toEqual({ tab: 'past', search: 'ada' });
});
