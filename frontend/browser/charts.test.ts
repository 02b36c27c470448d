// What all charts have in common: one cursor, what is pointed at told beside it, a click that opens, and files of them.

import { readFileSync } from 'node:fs';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { hours, tour } from './tour';

const NODES = 20;
const HOUR = 3_600_000;

interface Made {
  id: string;
  offers: { offer_id: string; cost: number }[];
}
interface Item {
  reservation_id: string;
  start: string;
  end: string;
  node_ranges: [number, number][];
}
let made: Made | undefined;
const { service, visit } = tour({
  prepare: async (service) => {
    made = await service.call<Made>('POST', 'reservations', { nodes: NODES, duration_s: 10_800, earliest_start: hours(1), latest_start: hours(12) });
    await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
  },
});

const gantt = (page: Page) => page.getByRole('img', { name: /Schedule of nodes/ });

/** Where the booked bar is on the page, a quarter into it. */
async function barOf(page: Page) {
  const { items } = await service.call<{ items: Item[] }>('GET', `schedule?from=${hours(0)}&to=${hours(24)}`);
  const item = items.find((it) => it.reservation_id === made?.id);
  const box = await gantt(page).boundingBox();
  if (!item || !box) throw new Error('there is no bar');
  const [first = 0] = item.node_ranges[0] ?? [];
  // A day around now, with a tenth of it in the past, on round quarters.
  const from = Math.floor((Date.now() - 2.4 * HOUR) / 900_000) * 900_000;
  const at = Date.parse(item.start) + (Date.parse(item.end) - Date.parse(item.start)) / 4;
  return { x: box.x + ((at - from) / (24 * HOUR)) * box.width, y: box.y + ((first + 0.5) / 44) * box.height };
}

test('a bar tells whose it is, when, on how many nodes and for how much, and a click opens it', async () => {
  const { page, faults } = await visit('#/schedule', { viewport: { width: 1280, height: 1300 } });
  await page.getByText('in view').waitFor();
  const { x, y } = await barOf(page);
  await page.mouse.move(x, y);
  const tip = page.locator('.tip');
  await tip.getByText(/^local, (booked|running)$/).waitFor();
  await tip.getByText(/\d\d:\d\d to /).waitFor();
  await tip.getByText(`${NODES} nodes`).waitFor();
  await tip.getByText(/^[\d.]+ EUR$/).waitFor();
  // One cursor in both charts, at one place.
  const cursors = page.locator('.cursor');
  expect(await cursors.count()).toBe(2);
  const [one, other] = await Promise.all([cursors.first().boundingBox(), cursors.last().boundingBox()]);
  expect(Math.abs((one?.x ?? 0) - (other?.x ?? 0))).toBeLessThan(2);
  await page.getByText(/· [\d.]+ k?W booked/).waitFor();
  await page.mouse.click(x, y);
  await expect.poll(() => new URL(page.url()).hash).toContain(`#/reservations/${made?.id}`);
  expect(faults).toEqual([]);
});

test('the cursor of the schedule goes by the keyboard, and Enter opens what it is at', async () => {
  const { page } = await visit('#/schedule');
  await page.getByText('in view').waitFor();
  await gantt(page).focus();
  const tip = page.locator('.tip');
  for (let row = 0; row < 44 && (await tip.count()) === 0; row += 1) {
    for (let column = 0; column < 40 && (await tip.count()) === 0; column += 1) await gantt(page).press('ArrowRight');
    if ((await tip.count()) > 0) break;
    await gantt(page).press('Escape');
    await gantt(page).press('ArrowDown');
  }
  await tip.waitFor();
  await gantt(page).press('Enter');
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/reservations\/[0-9a-f-]{36}/);
});

test('by touch a tap tells, and the link in what it tells opens', async () => {
  const { page } = await visit('#/schedule', { viewport: { width: 390, height: 1300 }, hasTouch: true, isMobile: true });
  await page.getByText('in view').waitFor();
  await gantt(page).scrollIntoViewIfNeeded();
  const { x, y } = await barOf(page);
  await page.touchscreen.tap(x, y);
  await page.locator('.tip').getByRole('link', { name: 'Open the reservation' }).tap();
  await expect.poll(() => new URL(page.url()).hash).toContain(`#/reservations/${made?.id}`);
});

test('what the keyboard is at is told inside of the window when that narrows', async () => {
  const { page } = await visit('#/plan', { viewport: { width: 1280, height: 1000 } });
  const tip = page.locator('.tip');
  for (const name of ['Over time', 'Cost against CO₂']) {
    await page.setViewportSize({ width: 1280, height: 1000 });
    const starts = page.getByRole('region', { name }).getByRole('radio');
    // The one that is the most to the right: its tip would be outside of a narrow window.
    await starts.first().waitFor({ state: 'attached' });
    const boxes = await Promise.all((await starts.all()).map((it) => it.boundingBox()));
    const right = boxes.map((it) => it?.x ?? 0);
    await starts.nth(right.indexOf(Math.max(...right))).focus();
    await tip.waitFor();
    await page.setViewportSize({ width: 390, height: 1000 });
    // Until everything was measured anew.
    await page.waitForTimeout(500);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const told = await tip.boundingBox();
    expect(told && told.x >= 0 && told.x + told.width <= 390).toBe(true);
  }
});

test('an estimated cap is dashed, and told as one', async () => {
  const { page } = await visit('#/nodes');
  await page.route('**/api/v1/agendas/power-cap?*', async (route) => {
    const response = await route.fetch();
    const agenda = (await response.json()) as { provenance: object[] };
    const provenance = agenda.provenance.map((it) => ({ ...it, source: '', quality: 'estimated', standing: 'forecast' }));
    await route.fulfill({ response, json: { ...agenda, provenance } });
  });
  for (const name of ['plan', 'grid']) {
    await page.goto(`${service.url}#/${name}`);
    await expect.poll(() => page.locator('g.cap path.line.estimated').first().getAttribute('d').catch(() => '')).toContain('M');
  }
  await page.goto(`${service.url}#/plan`);
  const chart = page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ });
  await chart.focus();
  await chart.press('ArrowRight');
  await page.getByText(/cap [\d.]+ k?W \(estimated\), .* reserved/).waitFor();
  for (const name of ['overview', 'schedule']) {
    await page.goto(`${service.url}#/${name}`);
    const power = page.getByRole('img', { name: /^Power of reserved nodes/ });
    await expect.poll(() => power.locator('path.cap.estimated').getAttribute('d').catch(() => '')).toContain('M');
    await page.getByText('Dashed: an estimate of this site.').waitFor();
    await power.press('ArrowRight');
    await page.getByText(/cap (at least )?[\d.]+ k?W \(estimated\)$/).waitFor();
  }
});

test('the time axis stays in sight while its chart is scrolled', async () => {
  const { page } = await visit('#/schedule', { viewport: { width: 1280, height: 420 } });
  await page.getByText('in view').waitFor();
  for (const [hash, chart] of [['#/schedule', /Schedule of nodes/], ['#/plan', /Price, CO₂ intensity/]] as const) {
    await page.goto(`${service.url}${hash}`);
    const picture = page.getByRole('img', { name: chart });
    await picture.waitFor();
    await page.getByRole('group', { name: /^Save: / }).first().waitFor();
    await picture.evaluate((it: Element) => window.scrollBy(0, it.getBoundingClientRect().top + 60));
    const [header, axis, body] = await Promise.all([page.locator('header').boundingBox(), page.locator('.times').first().boundingBox(), picture.boundingBox()]);
    expect((body?.y ?? 0) < 0).toBe(true);
    expect(Math.abs((axis?.y ?? 0) - (header?.height ?? 0))).toBeLessThan(8);
  }
});

/** A file that a button in a group hands over. */
async function saved(page: Page, group: RegExp, kind: 'PNG' | 'CSV'): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('group', { name: group }).getByRole('button', { name: kind }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(new RegExp(`^wattbook-.*\\.${kind.toLowerCase()}$`));
  return readFileSync((await file.path()) ?? '');
}

/** What a picture shows: its size, the colour of its ground, how many pixels have a colour, and how many colours there are. */
const LOOK = (png: string, colour: string) => `(async () => {
  const image = new Image();
  image.src = 'data:image/png;base64,${png}';
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  const probe = (name) => {
    const it = document.createElement('i');
    it.style.color = 'var(' + name + ')';
    document.body.append(it);
    pen.fillStyle = getComputedStyle(it).color;
    it.remove();
    const text = pen.fillStyle;
    return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)).join();
  };
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  const colours = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = data.slice(at, at + 3).join();
    colours.set(key, (colours.get(key) ?? 0) + 1);
  }
  const ground = data.slice(0, 3).join();
  return { width: image.width, height: image.height, isGround: ground === probe('--card'), pixels: colours.get(probe('${colour}')) ?? 0, colours: colours.size };
})()`;
interface Seen {
  width: number;
  height: number;
  isGround: boolean;
  pixels: number;
  colours: number;
}

const CHARTS = [
  ['#/plan', 'Cost against CO₂', /^Save: Price, CO₂ and power cap/, '--price', ['start', 'end', 'price_EUR/MWh']],
  ['#/plan', 'Cost against CO₂', /^Save: Cost against CO₂/, '--brand', ['start', 'end', 'nodes', 'cost']],
  ['#/schedule', 'in view', /^Save: Nodes over time/, '--raised', ['reservation', 'owner', 'state', 'start', 'end', 'node_count']],
  ['#/schedule', 'in view', /^Save: Power of reserved nodes/, '--cap', ['start', 'end', 'reserved_w']],
  ['#/nodes?tab=calibration', 'Nodes that stand out', /^Save: Idle and maximum power/, '--price', ['first_node', 'nodes', 'idle_least_w']],
] as const;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`charts are saved as pictures that show them, ${colorScheme}`, { timeout: 60_000 }, async () => {
    const { page, faults } = await visit('', { colorScheme });
    for (const [hash, there, group, colour] of CHARTS) {
      await page.goto(`${service.url}${hash}`);
      await page.getByText(there).first().waitFor();
      await page.getByRole('group', { name: group }).waitFor();
      const png = await saved(page, group, 'PNG');
      const seen = await page.evaluate<Seen>(LOOK(png.toString('base64'), colour));
      // Twice as many pixels as the page has, its background, and its lines.
      expect([group, seen.width > 700, seen.height > 300, seen.isGround]).toEqual([group, true, true, true]);
      expect([group, seen.pixels > 200, seen.colours > 10]).toEqual([group, true, true]);
    }
    expect(faults).toEqual([]);
  });
}

test('charts are saved as tables of what they show', async () => {
  const { page } = await visit();
  for (const [hash, there, group, , columns] of CHARTS) {
    await page.goto(`${service.url}${hash}`);
    await page.getByText(there).first().waitFor();
    const [head = '', ...rows] = (await saved(page, group, 'CSV')).toString().trimEnd().split('\n');
    expect(head.split(',').slice(0, columns.length)).toEqual(columns);
    expect([group, rows.length > 0]).toEqual([group, true]);
    for (const row of rows) expect(row.split(',').length).toBeGreaterThanOrEqual(columns.length);
  }
});

test('a scale of long values is written whole beside its plot, on phones too', async () => {
  const { page } = await visit('', { viewport: { width: 390, height: 844 } });
  await page.route('**/api/v1/agendas/price?**', async (route) => {
    const response = await route.fetch();
    const agenda = (await response.json()) as { pieces: { price_per_mwh: number }[] };
    await route.fulfill({ response, json: { ...agenda, pieces: agenda.pieces.map((it) => ({ ...it, price_per_mwh: 123_456.7 * it.price_per_mwh })) } });
  });
  await page.goto(`${service.url}?long#/grid`);
  const chart = page.locator('svg.plot').first();
  await chart.getByText(/^\d{1,2},000,000$/).first().waitFor();
  // How far each is inside of the picture, pixels.
  const inside = await page.evaluate<number[]>(`(() => {
    const plot = document.querySelector('svg.plot');
    const { left } = plot.getBoundingClientRect();
    return Array.from(plot.querySelectorAll('text.mark'), (it) => it.getBoundingClientRect().left - left);
  })()`);
  expect(Math.min(...inside)).toBeGreaterThanOrEqual(0);
});
