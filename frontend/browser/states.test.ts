// While something is read, fails, or comes back: nothing false is said, everything once, and parts go on by themselves.

import { expect, test } from 'vitest';

import { FAILED, fail } from './states';
import { READY, hours, tour } from './tour';

const { service, visit } = tour();

test('while agendas are read, nothing is said to be unknown', async () => {
  const { page } = await visit('#/nodes');
  await page.route('**/api/v1/agendas/**', async (route) => {
    await new Promise((done) => setTimeout(done, 2500));
    await route.continue();
  });
  for (const name of ['plan', 'grid']) {
    await page.goto(`${service.url}#/${name}`);
    await page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ }).waitFor();
    await page.waitForTimeout(300);
    expect(await page.getByText(/no (price|CO₂|cap) known/).count()).toBe(0);
  }
});

test('a part that failed tries again by itself', async () => {
  const { page } = await visit('#/grid');
  await page.getByText('Feeds').first().waitFor();
  let failures = 0;
  await page.route('**/api/v1/nodes/powers*', async (route) => {
    failures += 1;
    return failures > 1 ? route.continue() : fail(route);
  });
  await page.goto(`${service.url}#/nodes?tab=calibration`);
  await page.getByText(FAILED).waitFor();
  await page.getByText('Nodes that stand out').waitFor({ timeout: 12_000 });
  expect(await page.getByText(FAILED).count()).toBe(0);
});

test('rights that could not be read are read again', async () => {
  const { page } = await visit('#/grid');
  await page.getByText('Feeds').first().waitFor();
  let failures = 0;
  await page.route('**/api/v1/rights', async (route) => {
    failures += 1;
    return failures > 1 ? route.continue() : fail(route);
  });
  await page.goto(`${service.url}?again#/overview`);
  await page.getByText(FAILED).waitFor();
  await page.getByText('Needs somebody').waitFor({ timeout: 12_000 });
  expect(await page.getByText(FAILED).count()).toBe(0);
});

test('a page hardly moves while it is loading', { timeout: 90_000 }, async () => {
  const found: Record<string, number> = {};
  for (const [name, text] of Object.entries(READY)) {
    const { page } = await visit('#/');
    await page.addInitScript(`
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const it of list.getEntries()) if (!it.hadRecentInput) window.shifts += it.value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    await page.goto(`${service.url}?fresh#/${name}`);
    await page.getByText(text).first().waitFor();
    await page.waitForTimeout(1200);
    found[name] = Math.round((await page.evaluate<number>('window.shifts')) * 1000) / 1000;
    await page.context().close();
  }
  console.log(`layout shifts: ${JSON.stringify(found)}`);
  expect(Object.entries(found).filter(([, shift]) => shift > 0.1)).toEqual([]);
});

test('what is begun or cancelled on a page is looked at, and asked about', async () => {
  const { page } = await visit('#/simulate?ask=policies', { viewport: { width: 1280, height: 700 } });
  await page.getByLabel('Requests in four weeks').fill('50');
  await page.getByRole('button', { name: 'Play it' }).click();
  // In one look: it is gone once the answer is there.
  const looked = `(() => {
    const at = document.activeElement, { y } = at.getBoundingClientRect();
    return [at.getAttribute('aria-label'), y >= 0 && y < innerHeight];
  })()`;
  await expect.poll(() => page.evaluate(looked)).toEqual(['How far the answer is', true]);

  await page.goto(`${service.url}#/plan?nodes=2`);
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await page.getByText('Cancel this reservation?').waitFor();
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancelled');
});

test('one’s own hold is told where it makes offers worse, and can be given back', async () => {
  const request = { nodes: 7, duration_s: 7200, earliest_start: hours(1), latest_start: hours(5) };
  await service.call('POST', 'reservations', request);
  const { page } = await visit();
  await page.getByText('You still hold offers for 7 nodes for 2 h').waitFor();

  await service.call('POST', 'reservations', { ...request, nodes: 6 });
  await page.getByText('You still hold offers for 2 requests').click();
  await page.getByText('6 nodes for 2 h').waitFor();
  await page.getByRole('button', { name: 'Give them back' }).first().click();
  await page.getByText('You still hold offers for 2 requests').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Give them back' }).click();
  await page.getByText('You still hold offers').waitFor({ state: 'detached' });
});

test('a start long ago, more nodes than there are, and a request far ahead are told as what they are', async () => {
  const { page } = await visit();
  await page.getByLabel('Not before').fill('2020-01-01T08:00');
  await page.getByText('That has passed. Leave it empty to start now.').waitFor();
  await page.getByLabel('Not before').fill('');
  await page.getByLabel('Nodes', { exact: true }).fill('60');
  await page.getByText('60 nodes are more than there are: the cluster has 44.').waitFor();
  await page.goto(`${service.url}#/plan?after=${hours(12 * 24)}`);
  await page.getByRole('button', { name: /^Book / }).first().waitFor();
  const [bar, chart] = [await page.locator('rect.window').boundingBox(), await page.getByRole('img', { name: /Price, CO₂/ }).boundingBox()];
  expect((bar?.width ?? 0) / (chart?.width ?? 1)).toBeGreaterThan(0.5);
  expect(await page.getByLabel('Time zone').locator('option', { hasText: /^Asia\/Kolkata$/ }).count()).toBe(1);
});

test('a service that is out of reach is told once, and its return ends that', async () => {
  const { page } = await visit('#/grid');
  await page.getByText('Feeds').first().waitFor();
  await service.kill();
  const told = page.getByText(/out of reach/);
  await told.first().waitFor({ timeout: 20_000 });
  await page.waitForTimeout(3000);
  expect(await told.count()).toBe(1);
  expect(await page.getByRole('alert').count()).toBe(0);
  await service.start();
  await told.first().waitFor({ state: 'detached', timeout: 20_000 });
});

test('as of when the page is stands above it while the service answers from memory', async () => {
  const { page } = await visit('#/grid');
  await page.getByText('Feeds').first().waitFor();
  const asOf = new Date(Date.now() - 20_000).toISOString();
  await page.route('**/api/v1/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!/\/(agendas\/[\w-]+|me|nodes|nodes\/powers|occupancy|outages|power-profile|site)$/.test(pathname)) return fail(route);
    const response = await route.fetch({ maxRetries: 3 });
    return route.fulfill({ response, headers: { ...response.headers(), 'x-wattbook-as-of': asOf } });
  });
  await page.goto(`${service.url}?away#/nodes`);
  const told = page.locator('.notice', { hasText: /database is away/ });
  await told.waitFor();
  expect(await told.count()).toBe(1);
  // It ticks.
  const ago = told.getByText(/^\d+ s ago$/);
  const before = await ago.textContent();
  await page.waitForTimeout(2500);
  expect(await ago.textContent()).not.toBe(before);
  await page.unroute('**/api/v1/**');
  await told.waitFor({ state: 'detached', timeout: 20_000 });
});
