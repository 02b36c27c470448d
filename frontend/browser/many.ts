// The page on many reservations and on a slow line. `npm run many`, with the binary that WATTBOOK names; RESERVATIONS says how many,
// 1,500 unless it does. More than BOOKED are copies of those, made by Debian's sqlite3 while the service is stopped. What is printed
// stands in docs/PERFORMANCE.md.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { hours, tour } from './tour';

const RESERVATIONS = Number(process.env.RESERVATIONS ?? 1500);
const BOOKED = 1500;
const AT_ONCE = 8;
const IDLE_SECONDS = 30;
/** A slow line of the third generation: bytes a second, and milliseconds there and back. */
const SLOW = { offline: false, downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 400 };

interface Made {
  id: string;
  offers: { offer_id: string }[];
}

/** Many nodes, so that all find room, each booked for an hour of the week. */
async function fill(): Promise<void> {
  await service.cancelAll();
  await service.call('PUT', 'nodes', { classes: [{ count: 20_000, idle_power_w: 90, max_power_w: 200 }] });
  const days = (value: object) => [{ start: hours(-1), end: hours(240), ...value }];
  await service.call('PUT', 'agendas/power-cap', days({ cap_w: 4_000_000 }));
  await service.call('PUT', 'agendas/price', days({ price_per_mwh: 80 }));
  await service.call('PUT', 'agendas/co2', days({ intensity_g_per_kwh: 40 }));
  let next = 0;
  const book = async () => {
    while (next < Math.min(RESERVATIONS, BOOKED)) {
      const index = next++;
      const at = 1 + (index % 150);
      const request = { nodes: 1 + (index % 4), duration_s: 3600, earliest_start: hours(at), latest_start: hours(at + 1) };
      const made = await service.call<Made>('POST', 'reservations', request);
      await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, book));
  if (RESERVATIONS > BOOKED) await copy(RESERVATIONS - BOOKED);
}

/** Stops the service, adds copies to its database and starts it again. */
async function copy(more: number): Promise<void> {
  await service.kill();
  const copies = readFileSync(new URL('copies.sql', import.meta.url), 'utf8');
  const input = `BEGIN; CREATE TEMP TABLE wanted (more); INSERT INTO wanted VALUES (${more}); ${copies} COMMIT;`;
  execFileSync('sqlite3', ['-bail', service.databaseFile], { input });
  const began = performance.now();
  await service.start();
  console.log(`started on ${RESERVATIONS} reservations after ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

const { service, visit } = tour({ prepare: fill, timeout: 3_600_000 });

/** Notes layout shifts and tasks that keep the page from answering for 50 ms and more. */
const WATCH = `
  window.shift = 0; window.long = [];
  new PerformanceObserver((list) => list.getEntries().forEach((it) => (window.shift += it.hadRecentInput ? 0 : it.value)))
    .observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((it) => window.long.push(Math.round(it.duration))))
    .observe({ type: 'longtask', buffered: true });`;

interface Opened {
  page: Page;
  session: CDPSession;
  bytes: () => number;
}

/** A new tab, and what comes from the API to it. */
async function tab(): Promise<Opened> {
  const { page } = await visit('health/live');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Performance.enable');
  const ofApi = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', (it) => void (/api\/v1\/(?!events)/.test(it.response.url) && ofApi.add(it.requestId)));
  session.on('Network.loadingFinished', (it) => (bytes += ofApi.has(it.requestId) ? it.encodedDataLength : 0));
  await page.addInitScript(WATCH);
  return { page, session, bytes: () => bytes };
}

async function busy(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((it) => it.name === 'TaskDuration')?.value ?? 0;
}

test.each(['reservations', 'schedule', 'overview', 'plan'])('%s of many reservations', async (name) => {
  const { page, session, bytes } = await tab();
  const began = performance.now();
  await page.goto(`${service.url}#/${name}`);
  const signs: Record<string, string | RegExp> = { reservations: 'Calendar file', schedule: 'Most power that the reserved nodes may draw', overview: /^(Begins within a day|Runs now and within a day)$/, plan: 'Cost against CO₂' };
  await page.getByText(signs[name] ?? '').first().waitFor();
  const there = performance.now() - began;
  await page.waitForTimeout(2000);
  const [elements, shift, long] = await page.evaluate<[number, number, number[]]>('[document.querySelectorAll("*").length, window.shift, window.long]');
  const read = bytes();
  const before = await busy(session);
  await page.waitForTimeout(IDLE_SECONDS * 1000);
  const idle = ((await busy(session)) - before) / IDLE_SECONDS;
  const afterIdle = bytes();
  const made = await service.call<Made>('POST', 'reservations', { nodes: 1, duration_s: 3600, earliest_start: hours(2), latest_start: hours(3) });
  await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
  await page.waitForTimeout(4000);
  console.log(`${name} of ${RESERVATIONS}: there after ${there.toFixed(0)} ms, ${read} bytes of data, ${elements} elements, layout shift ${shift.toFixed(3)}, ` +
    `long tasks ${long.join(', ') || 'none'} ms; idle: ${(idle * 100).toFixed(1)} % of a core, ${afterIdle - read} bytes in ${IDLE_SECONDS} s; ` +
    `a booking by somebody: ${bytes() - afterIdle} bytes`);
  expect(elements).toBeLessThan(6000);
  await page.context().close();
});

test('a slow line', async () => {
  const { page, session } = await tab();
  await session.send('Network.emulateNetworkConditions', SLOW);
  const began = performance.now();
  await page.goto(service.url, { timeout: 60_000 });
  await page.getByLabel('Nodes', { exact: true }).waitFor({ timeout: 60_000 });
  const form = performance.now() - began;
  await page.getByText('Cost against CO₂').waitFor({ timeout: 60_000 });
  console.log(`slow line: form after ${(form / 1000).toFixed(1)} s, offers after ${((performance.now() - began) / 1000).toFixed(1)} s`);
});
