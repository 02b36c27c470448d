// A million nodes: no page sends or shows more for them than for forty.

import { expect, test } from 'vitest';

import type { Service } from './service';
import { tour } from './tour';

const MOST_BYTES = 300_000;

async function prepare(service: Service) {
  const { items } = await service.call<{ items: { id: string }[] }>('GET', 'reservations?limit=100');
  for (const { id } of items) await service.call('DELETE', `reservations/${id}`);
  const watts = { idle_power_w: 90.5, max_power_w: 200.25 };
  await service.call('PUT', 'nodes', { classes: [{ count: 600_000, ...watts }, { count: 400_000, idle_power_w: 80, max_power_w: 210 }] });
  const start = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString().replace('.000', '');
  const end = new Date(Date.parse(start) + 30 * 86_400_000).toISOString().replace('.000', '');
  await service.call('PUT', 'agendas/power-cap', [{ start, end, cap_w: 200_000_000 }]);
  for (let index = 0; index < 12; index += 1) {
    const at = new Date(Date.parse(start) + (1 + index) * 3_600_000).toISOString().replace('.000', '');
    const request = { nodes: 40_000 + 1000 * index, duration_s: 7200, earliest_start: at, latest_start: at };
    const made = await service.call<{ id: string; offers: { offer_id: string }[] }>('POST', 'reservations', request);
    await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
  }
}
const { service, visit } = tour({ prepare, timeout: 120_000 });

test('the schedule of a million nodes is small, and leads to single nodes', async () => {
  const { page, faults } = await visit();
  let bytes = 0;
  page.on('response', (response) => {
    if (/api\/v1\/(?!events)/.test(response.url())) void response.body().then((body) => (bytes += body.length)).catch(() => undefined);
  });
  await page.goto(`${service.url}#/schedule`);
  await page.getByText('All 1,000,000 nodes, in groups of 25,000').waitFor();
  await page.getByRole('img', { name: /Power of reserved nodes/ }).waitFor();
  await expect.poll(() => bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(MOST_BYTES);
  console.log(`first view of a million nodes: ${bytes} bytes`);

  const chart = page.getByRole('img', { name: /Schedule of nodes/ });
  for (const nodes of ['25,000', '625', '16']) {
    await chart.click({ position: { x: 300, y: 3 } });
    await page.getByText(new RegExp(`${nodes} nodes of 1,000,000 nodes`)).waitFor();
  }
  await page.getByRole('heading', { name: /in view/ }).waitFor();
  expect(faults).toEqual([]);
});

test('the table of a million nodes reads and shows a page of them', async () => {
  const { page, faults } = await visit();
  let bytes = 0;
  page.on('response', (response) => {
    if (/api\/v1\/(?!events)/.test(response.url())) void response.body().then((body) => (bytes += body.length)).catch(() => undefined);
  });
  await page.goto(`${service.url}#/nodes`);
  await page.getByText('1,000,000 nodes, page 1 of 20,000').waitFor();
  expect(await page.getByRole('row').count()).toBe(51);
  expect(bytes).toBeLessThan(MOST_BYTES);
  const { nodes } = await service.call<{ nodes: { name: string }[] }>('GET', 'nodes?cursor=999999');
  await page.goto(`${service.url}#/nodes?page=20000`);
  await page.getByRole('cell', { name: nodes[0]?.name ?? '', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBe(51);
  expect(await page.locator('*').count()).toBeLessThan(2000);
  // Who searches sees the first of them, and is told so.
  await page.getByRole('searchbox').fill('n99999');
  await page.getByText('Search, filters and order see the first 100,000 nodes of 1,000,000.').waitFor();
  await page.getByRole('cell', { name: 'n99999', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  expect(faults).toEqual([]);
}, 60_000);

test('the powers of a million nodes are small', async () => {
  const { page, faults } = await visit('#/nodes?tab=calibration');
  await page.getByRole('img', { name: /of 1,000,000 nodes/ }).waitFor();
  const answer = await fetch(new URL('api/v1/nodes/powers?groups=200', service.url));
  expect((await answer.arrayBuffer()).byteLength).toBeLessThan(MOST_BYTES);
  expect(faults).toEqual([]);
});
