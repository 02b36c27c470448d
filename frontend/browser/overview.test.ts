// The overview: what needs somebody is told where it happens, and a display on a wall goes on by itself.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { violations } from './axe';
import { overlaps } from './overlaps';
import { NEGOTIATION, day, peak } from './peak';
import { hours, tour } from './tour';

// A source is asked again and again until it is found lost.
vi.setConfig({ testTimeout: 90_000 });
const caps = join(mkdtempSync(join(tmpdir(), 'wattbook-caps-')), 'caps.csv');
const dropCaps = () => writeFileSync(caps, `start,end,cap_w\n${day(-1)},${day(40)},9000\n`);
dropCaps();

// A supplier's agenda by a file, which may vanish.
const { service, visit } = tour({
  settings: `${NEGOTIATION}
[[feeds]]
id = "dropped"
quantity = "power-cap"
provider = "file-drop"
path = "${caps}"
poll = { poll_every_s = 5, catch_up_s = 0 }
`,
  prepare: async (service) => {
    const request = { nodes: 4, duration_s: 7200, earliest_start: hours(0.05), latest_start: hours(0.4) };
    const made = await service.call<{ id: string; offers: { offer_id: string }[] }>('POST', 'reservations', request);
    await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
    await service.call('POST', 'reservations', { ...request, latest_start: hours(20) });
  },
});
const tokens = { ada: '', grid: '', ops: '' };

interface Feeds {
  feeds: { id: string; status: string }[];
}
/** Asks the source until it stands so. */
async function sourceIs(status: string, token = tokens.ops): Promise<void> {
  await expect.poll(async () => {
    await service.call('POST', 'feeds/dropped/refresh', undefined, token);
    return (await service.call<Feeds>('GET', 'feeds', undefined, token)).feeds[0]?.status;
  }, { timeout: 60_000, interval: 1000 }).toBe(status);
}

async function look(address: string, options: BrowserContextOptions = {}, token = tokens.ops) {
  const watched = await visit(address, options);
  const { page } = watched;
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return watched;
}
const loseSource = async () => {
  rmSync(caps);
  await sourceIs('failing');
};
const needs = (page: Page) => page.getByRole('region', { name: 'Needs somebody' });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true });

beforeAll(async () => {
  tokens.ada = service.token('ada');
  tokens.grid = service.token('grid', 'supplier');
  tokens.ops = service.token('ops', 'operator');
  await peak(service, 12, tokens.ops);
});
beforeEach(async () => {
  dropCaps();
  await sourceIs('ok');
}, 90_000);

test('operators begin here and users with their plan', async () => {
  const ops = await look('');
  await needs(ops.page).waitFor();
  const ada = await look('', {}, tokens.ada);
  await ada.page.getByRole('heading', { name: 'Plan' }).first().waitFor();
  await ops.page.goto(`${service.url}#/nodes`);
  await ops.page.getByRole('heading', { name: 'Nodes', exact: true }).waitFor();
  expect([...ops.faults, ...ada.faults]).toEqual([]);
});

test('a source that is lost is told with what to do, in the navigation and the title, until it is back', async () => {
  const { page, faults } = await look('#/overview');
  await needs(page).getByText('The supplier has not answered a request for extra power.').waitFor();
  await expect.poll(() => page.title(), { timeout: 15_000 }).toBe('(1) Overview · Wattbook');
  await loseSource();
  const lost = needs(page).getByRole('listitem').filter({ hasText: 'The last try at a source failed' });
  await lost.getByText('Power cap from file-drop (dropped)').waitFor();
  await lost.getByText('See whether the provider and the network are up, then ask it again.').waitFor();
  await navigation(page).getByRole('link', { name: 'Overview, 2 things need somebody' }).waitFor();
  expect(await page.title()).toBe('(2) Overview · Wattbook');
  await lost.getByRole('link', { name: /^Grid/ }).click();
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  expect(await page.title()).toBe('(2) Grid · Wattbook');
  dropCaps();
  await sourceIs('ok');
  await navigation(page).getByRole('link', { name: 'Overview, 1 thing needs somebody' }).waitFor();
  expect(faults).toEqual([]);
});

test('nobody is shown what they may not read, or told what they can do nothing about', async () => {
  await loseSource();
  const ada = await look('#/overview', {}, tokens.ada);
  await needs(ada.page).getByText('Nothing needs you now.').waitFor();
  await ada.page.getByRole('heading', { name: 'Sources' }).waitFor();
  expect(await ada.page.getByText('question to the supplier').count()).toBe(0);
  const grid = await look('#/overview', {}, tokens.grid);
  await needs(grid.page).getByText('The supplier has not answered a request for extra power.').waitFor();
  for (const name of ['Runs now', 'Begins within a day']) expect(await grid.page.getByRole('heading', { name }).count()).toBe(0);
  expect(await grid.page.getByText('nodes booked now').count()).toBe(0);
  for (const { page, faults } of [ada, grid]) {
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(faults).toEqual([]);
  }
});

test('an alert comes once for what is new, and never unasked', async () => {
  const told = (page: Page) => page.evaluate<string[]>('window.told');
  const { page } = await look('#/overview', { permissions: ['notifications'] });
  await page.evaluate(`window.told = [];
    window.asked = 0;
    window.Notification = new Proxy(Notification, {
      get: (real, name) => (name === 'requestPermission' ? () => { window.asked += 1; return real.requestPermission(); } : real[name]),
      construct(real, [title, options]) { window.told.push(title + ' ' + options.body); return new real(title, options); },
    })`);
  await needs(page).getByText('The supplier has not answered').waitFor();
  await loseSource();
  await needs(page).getByText('The last try at a source failed').waitFor();
  expect(await page.evaluate<number>('window.asked')).toBe(0);
  dropCaps();
  await sourceIs('ok');
  await needs(page).getByText('The last try at a source failed').waitFor({ state: 'detached' });

  const start = page.getByRole('button', { name: 'Alert me on this device' });
  await start.click();
  await page.getByRole('button', { name: 'Stop alerts on this device' }).waitFor();
  expect(await told(page)).toEqual([]);
  // Nobody looks at the page meanwhile.
  const show = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await show('hidden');
  await loseSource();
  await expect.poll(() => told(page), { timeout: 15_000 }).toEqual([expect.stringContaining('The last try at a source failed')]);
  await show('visible');
  // Another page, another reading of the same: it is told no more.
  await page.goto(`${service.url}#/grid`);
  await page.getByRole('heading', { name: 'Feeds' }).waitFor();
  await service.call('POST', 'feeds/dropped/refresh', undefined, tokens.ops);
  await page.goto(`${service.url}#/overview`);
  await needs(page).getByText('The last try at a source failed').waitFor();
  expect(await told(page)).toHaveLength(1);
});

for (const width of [390, 768, 1024, 1280, 1440, 2560]) {
  test(`no two texts collide at ${width} pixels, and a display fits on one screen`, async () => {
    await loseSource();
    const viewport = { width, height: width < 800 ? 844 : Math.round(width * 0.5625) };
    const { page } = await look('#/overview', { viewport });
    await needs(page).getByText('The last try at a source failed').waitFor();
    expect(await overlaps(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.goto(`${service.url}#/overview?kiosk`);
    await page.getByRole('heading', { name: '2 things need somebody' }).waitFor();
    expect(await overlaps(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight')).toBeLessThanOrEqual(0);
    const cut = `[...document.querySelectorAll('.figure strong, .figure span, h1, h2, .clock')].filter((it) => it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent)`;
    expect(await page.evaluate<string[]>(cut)).toEqual([]);
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const address of ['#/overview', '#/overview?kiosk']) {
    test(`${address}, ${colorScheme}, can be used by everybody`, async () => {
      await loseSource();
      const { page } = await look(address, { colorScheme, bypassCSP: true });
      await page.getByText('The last try at a source failed').first().waitFor();
      expect(await violations(page)).toEqual([]);
    });
  }
}

test('a display goes on over a lost service, says so, and is right again by itself', async () => {
  const { page, faults } = await look('#/overview?kiosk', { viewport: { width: 1920, height: 1080 } });
  await page.getByRole('heading', { name: '1 thing needs somebody' }).waitFor();
  expect(await navigation(page).count()).toBe(0);
  await page.evaluate('window.loaded = true');
  await service.kill();
  await page.getByText(/^No contact with the service for .*\. What stands here is of \d\d:\d\d/).waitFor({ timeout: 20_000 });
  await page.getByText(/reserved of the cap/).waitFor();
  await service.start();
  await page.getByText(/^No contact with the service/).waitFor({ state: 'detached', timeout: 20_000 });
  await loseSource();
  await page.getByText('The last try at a source failed').waitFor();
  expect(await page.evaluate<boolean>('window.loaded === true')).toBe(true);
  await page.keyboard.press('Escape');
  await navigation(page).waitFor();
  expect(faults).toEqual([]);
});
