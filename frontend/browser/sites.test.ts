// The pages that watch: reservations, schedule, nodes, grid, simulations.

import { expect, test } from 'vitest';

import { hours, tour } from './tour';

const { service, visit } = tour();

test('lists reservations with their account, and cancels one', async () => {
  const { page, faults } = await visit('#/reservations');
  await page.getByLabel('Whose').selectOption('all');
  const rows = page.getByRole('listitem').filter({ hasText: 'Booked' });
  await rows.first().waitFor();
  const before = await rows.count();
  expect(await page.getByRole('region', { name: 'Together' }).textContent()).toMatch(/kWh.*EUR.*CO₂/s);
  await rows.last().getByRole('button', { name: 'Cancel' }).click();
  await rows.last().getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Cancelled: its nodes are free again.').waitFor();
  await expect.poll(() => rows.count()).toBe(before - 1);
  await page.getByRole('button', { name: 'Past' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('shows who holds which nodes, the power against the cap, and moves in time', async () => {
  await service.call('POST', 'outages', { nodes: ['aube-1', 'aube-2'], reason: 'new fans', end: hours(30) });
  const { page, faults } = await visit('#/schedule');
  const chart = page.getByRole('img', { name: /Schedule of nodes 0 to 43/ });
  await chart.waitFor();
  await page.getByRole('img', { name: /Power of reserved nodes/ }).waitFor();
  expect(await page.getByRole('row').filter({ hasText: 'aube-' }).count()).toBeGreaterThan(0);

  const box = await chart.boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.move(box.x + box.width / 2, box.y + 4);
  await page.getByText(/aube-1 · .*out of service/).waitFor();
  const heading = page.getByRole('heading', { name: /reservations? in view/ });
  const before = await heading.textContent();
  await page.getByLabel('Span').selectOption({ label: '1 week' });
  await expect.poll(() => heading.textContent()).not.toBe(before);
  await page.getByLabel('Of whom').selectOption('climate');
  await expect.poll(() => page.getByRole('cell', { name: 'fluids' }).count()).toBe(0);
  await page.getByLabel('Time zone').selectOption('UTC');
  await page.getByText('times in UTC (UTC)').waitFor();
  expect(faults).toEqual([]);
});

test('tells power of instants where it can, and of spans where it cannot', async () => {
  // A cap that changes every hour: more steps in four weeks than are drawn.
  const hour = (ahead: number) => hours(ahead).replace(/:\d\d:\d\dZ/, ':00:00Z');
  const caps = Array.from({ length: 600 }, (_, at) => ({ start: hour(at), end: hour(at + 1), cap_w: 9000 + 50 * (at % 2) }));
  await service.call('PUT', 'agendas/power-cap', caps);
  const { page, faults } = await visit('#/schedule');
  const chart = page.getByRole('img', { name: /Power of reserved nodes/ });
  await page.getByLabel('Span').selectOption({ label: '6 hours' });
  await chart.waitFor();
  /** What is told at a share of the width. */
  const told = async (share: number) => {
    const box = await chart.boundingBox();
    if (!box) throw new Error('no chart');
    await chart.hover({ position: { x: box.width * share, y: box.height / 2 } });
    return (await page.getByText(/ booked.* · .*cap/).textContent()) ?? '';
  };
  await expect.poll(() => told(0.5)).toMatch(/\d\d:\d\d · [\d.]+ k?W booked/);
  await page.getByLabel('Span').selectOption({ label: '4 weeks' });
  // Each column is longer than an instant, and says from when to when it holds.
  await expect.poll(() => told(0.5)).toMatch(/ to .* · at most [\d.]+ k?W booked.* · cap at least [\d.]+ kW/);
  for (const share of [0.2, 0.35, 0.6, 0.8]) {
    expect(await told(share)).toMatch(/ to .* · at most /);
  }
  expect(faults).toEqual([]);
});

test('shows the nodes by power, with those that stand out and those out of service', async () => {
  const { page, faults } = await visit('#/nodes?tab=calibration');
  const figure = page.getByRole('img', { name: /Idle and maximum power of 44 nodes/ });
  await figure.focus();
  await figure.press('ArrowRight');
  await page.getByText(/aube-\d+: idle .* W, maximum .* W/).waitFor();
  await page.getByRole('button', { name: 'Out of service' }).click();
  await page.getByText('new fans').waitFor();
  expect(faults).toEqual([]);
});

test('tells which jobs and reservations of others occupy which nodes', async () => {
  const { page, faults } = await visit('#/reservations');
  const slurm = { mode: 'drive', version: '25.05.3', state: 'connected', occupied: { jobs: 1, reservations: 1, nodes: 3 } };
  const items = [
    { by: 'job 1234', because: '', start: hours(-1), end: hours(2), node_count: 2, nodes: ['aube-3', 'aube-4'], node_ranges: [[3, 4]] },
    { by: 'reservation maintenance', because: '', start: hours(5), end: null, node_count: 1, nodes: ['aube-9'], node_ranges: [[9, 9]] },
  ];
  await page.route('**/api/v1/slurm', (route) => route.fulfill({ json: slurm }));
  await page.route('**/api/v1/slurm/occupied?*', (route) => route.fulfill({ json: { items, next_cursor: null } }));
  await page.evaluate(() => (location.hash = '#/nodes?tab=outages'));
  const occupied = page.getByRole('list', { name: 'Occupied by others' });
  await occupied.getByText('job 1234: aube-3, aube-4').waitFor();
  await occupied.getByText('reservation maintenance: aube-9').waitFor();
  expect(await occupied.getByRole('listitem').count()).toBe(2);
  expect(faults).toEqual([]);
});

test('shows the agendas, and what was known of them before', async () => {
  const start = hours(2).replace(/:\d\d:\d\dZ/, ':00:00Z');
  const end = hours(3).replace(/:\d\d:\d\dZ/, ':00:00Z');
  await service.call('PUT', 'agendas/price', [{ start, end, price_per_mwh: 777 }]);
  const { page, faults } = await visit('#/grid');
  const chart = page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ });
  await chart.waitFor();
  // The demonstration's sources are asked as any others.
  const feeds = page.getByRole('region', { name: 'Feeds' });
  await expect.poll(() => feeds.getByText('Up to date').count()).toBe(4);
  await feeds.getByText(/heard .* ago · .*asked next in/).first().waitFor();
  await page.getByLabel('Compare with what was known').selectOption('a week ago');
  await page.getByText('Nothing was known then about this time.').waitFor();
  await page.getByLabel('Ahead').selectOption('today and tomorrow');
  await page.getByText('777', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('plays a simulation to the end, and hands over its results', async () => {
  const { page, faults } = await visit('#/simulate');
  await page.getByText('All settings').click();
  await page.getByLabel('Requests in a run').fill('10');
  await page.getByLabel('Runs', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Play these settings' }).click();
  await page.getByText('Charts: means over the requests so far').click();
  await page.getByRole('img', { name: /Mean cost of a reservation/ }).waitFor();
  await page.getByText(/is the cheapest: it costs .* less/).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'runs.csv' }).click();
  expect((await download).suggestedFilename()).toContain('runs.csv');
  expect(faults).toEqual([]);
});

test('a service with tokens asks who you are, and forgets it when you sign out', async () => {
  const token = service.token('ada');
  const { page, faults } = await visit();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Token').fill('nonsense');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The service does not know this token').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
});
