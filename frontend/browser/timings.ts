// How soon pages are there, in tabs that have seen nothing yet. `npm run timings`, with the binary that
// WATTBOOK names.

import { expect, test } from 'vitest';

import type { Service } from './service';
import { tour } from './tour';

const BOOKINGS = 10_000;
const AT_ONCE = 8;
const TABS = 11;
const DAYS = 7;
const HOUR = 3_600_000;
const iso = (at: number) => new Date(at).toISOString().replace(/\.\d+Z/, 'Z');

/** A million nodes and ten thousand bookings in the coming week, of a hundred to nine hundred nodes each. */
async function fill(service: Service) {
  await service.cancelAll();
  const classes = [
    { count: 600_000, idle_power_w: 90.5, max_power_w: 200.25 },
    { count: 400_000, idle_power_w: 80, max_power_w: 210 },
  ];
  await service.call('PUT', 'nodes', { classes });
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  const days = (value: object) => [{ start: iso(start - HOUR), end: iso(start + (DAYS + 3) * 24 * HOUR), ...value }];
  await service.call('PUT', 'agendas/power-cap', days({ cap_w: 200_000_000 }));
  await service.call('PUT', 'agendas/price', days({ price_per_mwh: 80 }));
  await service.call('PUT', 'agendas/co2', days({ intensity_g_per_kwh: 40 }));
  let next = 0;
  const book = async () => {
    while (next < BOOKINGS) {
      const index = next++;
      const at = start + HOUR + Math.floor((index * 7919) % (DAYS * 24 * 4)) * 900_000;
      const request = { nodes: 100 + (index % 9) * 100, duration_s: 3600 * (1 + (index % 4)), earliest_start: iso(at), latest_start: iso(at + HOUR) };
      const made = await service.call<{ id: string; offers: { offer_id: string }[] }>('POST', 'reservations', request);
      await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, book));
}

const { service, visit } = tour();

interface Timing {
  milliseconds: number;
  bytes: number;
}

/** Times from the first request of a new tab until the page says that it is there; in order. */
async function timings(page: string, sign: string): Promise<Timing[]> {
  const found: Timing[] = [];
  for (let tab = 0; tab < TABS; tab += 1) {
    const watched = await visit('health/live');
    let bytes = 0;
    watched.page.on('response', (response) => {
      if (/api\/v1\/(?!events)/.test(response.url())) {
        void response.body().then((body) => (bytes += body.length)).catch(() => undefined);
      }
    });
    await watched.page.addInitScript(`
      const look = () => (${sign}) ? (window.there = performance.now()) : requestAnimationFrame(look);
      requestAnimationFrame(look);`);
    await watched.page.goto(`${service.url}#/${page}`);
    const there = () => watched.page.evaluate<number>('window.there ?? 0');
    await expect.poll(there, { timeout: 20_000 }).toBeGreaterThan(0);
    const milliseconds = await there();
    await watched.page.waitForTimeout(300);
    found.push({ milliseconds, bytes });
    await watched.page.context().close();
  }
  return found.sort((one, other) => one.milliseconds - other.milliseconds);
}

function report(what: string, found: Timing[]) {
  const at = (share: number) => (found[Math.floor(share * (found.length - 1))]?.milliseconds ?? 0).toFixed(0);
  const bytes = Math.max(...found.map((it) => it.bytes));
  console.log(`${what}: median ${at(0.5)} ms, longest ${at(1)} ms; ${bytes} bytes of data at the most`);
  expect(found).toHaveLength(TABS);
}

const FORM = `document.querySelector('form input, aside input')`;
const OFFERS = `[...document.querySelectorAll('h2')].some((it) => it.textContent.includes('When to start'))`;
const SCHEDULE = `document.body?.textContent.includes('All 1,000,000 nodes') && document.querySelector('canvas') &&
  document.querySelector('svg[aria-label^="Power of reserved nodes"]')`;

test('first page', async () => {
  report('plan, its form there to be filled', await timings('plan', FORM));
  report('plan, offers there', await timings('plan', OFFERS));
});

test('a million nodes with ten thousand bookings', async () => {
  const began = Date.now();
  await fill(service);
  console.log(`${BOOKINGS} bookings made in ${((Date.now() - began) / 1000).toFixed(0)} s`);
  report('schedule of a million nodes', await timings('schedule', SCHEDULE));
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  const span = `from=${iso(now - 12 * HOUR)}&to=${iso(now + 36 * HOUR)}`;
  for (const route of [`occupancy?${span}&rows=40&columns=160`, `power-profile?${span}&columns=300`]) {
    const times: number[] = [];
    for (let round = 0; round < 21; round += 1) {
      const start = performance.now();
      await service.call('GET', route);
      times.push(performance.now() - start);
    }
    console.log(`${route.split('?')[0]}: median ${times.sort((a, b) => a - b)[10]?.toFixed(1)} ms`);
  }
}, 1_200_000);
