// The plan's slider along the starts that nothing beats, the same starts in its charts, and what a request lacks.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { violations } from './axe';
import { askForm, day, lower } from './peak';
import { overlaps } from './overlaps';
import { tour } from './tour';

const WIDTHS = [390, 768, 1024, 1280, 2560];
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const { service, visit } = tour({
  prepare: async (service) => void (await lower(service, day(12), day(13))),
});

interface Offer {
  start: string;
  cost: number;
  co2_g: number;
}
interface Decision {
  offers: Offer[];
  pareto: Offer[];
  compromise: Offer;
  as_soon_as_possible: Offer;
}

const slider = (page: Page) => page.getByRole('slider', { name: 'From cheap to clean to soon' });
const spoken = async (page: Page) => (await slider(page).getAttribute('aria-valuetext')) ?? '';
const region = (page: Page, name: string) => page.getByRole('region', { name });

/** Opens the plan for so many nodes, with the answer to what the page asks. */
async function planFor(page: Page, nodes: number): Promise<Decision> {
  await page.goto('about:blank');
  const quoted = page.waitForRequest(
    (it) => it.url().endsWith('/api/v1/quotes') && (it.postDataJSON() as { nodes: number }).nodes === nodes,
  );
  await page.goto(`${service.url}#/plan?nodes=${nodes}`);
  const asked: unknown = (await quoted).postDataJSON();
  await slider(page).waitFor();
  // Asked again: the page's own answer is gone where it asked anew meanwhile.
  return service.call<Decision>('POST', 'quotes', asked);
}

/** Walks by the keyboard to the first start that is no offer and so has no letter. */
async function walkToAnother(page: Page): Promise<string> {
  await slider(page).focus();
  await slider(page).press('Home');
  const last = Number(await slider(page).getAttribute('max'));
  for (let at = 0; at <= last; at += 1) {
    const words = await spoken(page);
    if (!/offer [A-H]$/.test(words)) return words;
    await slider(page).press('ArrowRight');
  }
  throw new Error('every start is an offer');
}

/** Presses a button, and waits until what it asked for is booked: the start that was asked for, and the one that is. */
async function bookBy(page: Page, press: () => Promise<void>): Promise<{ asked: string; booked: string[] }> {
  const request = page.waitForRequest((it) => it.url().endsWith('/api/v1/reservations') && it.method() === 'POST');
  await press();
  const { expected } = (await request).postDataJSON() as { expected: Offer };
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  const { items } = await service.call<{ items: { owner: string; start: string }[] }>('GET', 'reservations?state=confirmed&limit=1000');
  return { asked: expected.start, booked: items.filter((it) => it.owner === 'local').map((it) => it.start) };
}

test('the slider walks the starts by the keyboard, and what it is at is booked', async () => {
  const { page, faults } = await visit();
  const { pareto, as_soon_as_possible: now } = await planFor(page, 6);
  await slider(page).focus();
  await slider(page).press('End');
  expect(await spoken(page)).toContain('soonest');
  await slider(page).press('Home');
  const first = await spoken(page);
  expect(first).toMatch(/ \d\d:\d\d, [\d.,]+ EUR, [\d.]+ k?g CO₂, starts (in|at) /);
  const least = Math.min(...pareto.filter((it) => it.start !== now.start).map((it) => it.cost));
  expect(Math.abs(Number(/([\d.]+) EUR/.exec(first)?.[1]) - least)).toBeLessThan(0.006);

  const words = await walkToAnother(page);
  // The same start is picked in both charts.
  const checked = page.getByRole('radio', { checked: true });
  expect(await checked.count()).toBe(2);
  for (const it of await checked.all()) expect((await it.getAttribute('aria-label'))?.split(', starts')[0]).toBe(words.split(', starts')[0]);
  const { asked, booked } = await bookBy(page, () => page.getByRole('button', { name: 'Book this start' }).click());
  expect(pareto.map((it) => it.start)).toContain(asked);
  expect(booked).toContain(asked);
  expect(faults).toEqual([]);
});

test('of what is held the slider walks that alone, and the start that it is at is chosen', async () => {
  const { page, faults } = await visit();
  const { pareto } = await planFor(page, 7);
  await page.getByRole('button', { name: 'Hold all while I think' }).click();
  await page.getByRole('heading', { name: /Held for you/ }).waitFor();
  const { items } = await service.call<{ items: { id: string; owner: string; offers: Offer[] }[] }>('GET', 'reservations?state=proposed&limit=1000');
  const held = items.find((it) => it.owner === 'local');
  expect(held?.offers.length).toBeLessThan(pareto.length);
  await expect.poll(() => slider(page).getAttribute('max')).toBe(String((held?.offers.length ?? 0) - 1));
  await slider(page).focus();
  await slider(page).press('End');
  const chosen = page.waitForRequest((it) => it.url().endsWith(`/reservations/${held?.id}/choose`));
  await page.getByRole('button', { name: 'Book this start' }).click();
  const { expected } = (await chosen).postDataJSON() as { expected: Offer };
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  const soonest = held?.offers.map((it) => it.start).sort()[0];
  expect(expected.start).toBe(soonest);
  expect(faults).toEqual([]);
});

/** The middle of a choice in a chart, where its start is drawn. */
async function middle(radio: Locator): Promise<{ x: number; y: number }> {
  const box = await radio.boundingBox();
  if (!box) throw new Error('nothing to click');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Of the choices of a chart the one that is farthest from its neighbours: others may be drawn in one place. */
async function mostApart(radios: Locator): Promise<Locator> {
  const all = await radios.all();
  const places = await Promise.all(all.map(middle));
  const room = places.map(({ x, y }) => Math.min(...places.filter((it) => it.x !== x || it.y !== y).map((it) => Math.hypot(it.x - x, it.y - y))));
  const alone = room.map((far, at) => (places.filter((it) => it.x === places[at]?.x && it.y === places[at]?.y).length === 1 ? far : 0));
  const found = all[alone.indexOf(Math.max(...alone))];
  if (!found) throw new Error('nothing to click');
  return found;
}

for (const [chart, name] of [['Cost against CO₂', 'a dot of cost against CO₂'], ['Over time', 'a tick of the time']] as const) {
  test(`a click on ${name} picks its start, which can be booked there`, async () => {
    const { page, faults } = await visit();
    await planFor(page, 5);
    await slider(page).focus();
    await slider(page).press('End');
    const radio = await mostApart(region(page, chart).getByRole('radio', { checked: false }));
    await radio.scrollIntoViewIfNeeded();
    const words = ((await radio.getAttribute('aria-label')) ?? '').split(', starts')[0] ?? '';
    const { x, y } = await middle(radio);
    await page.mouse.click(x, y);
    await expect.poll(() => spoken(page)).toContain(words);
    // What is pointed at is told beside it.
    await page.locator('.tip', { hasText: '5 nodes, ' }).first().waitFor();
    const { asked, booked } = await bookBy(page, () => region(page, chart).getByRole('button', { name: 'Book what is picked' }).click());
    expect(booked).toContain(asked);
    expect(faults).toEqual([]);
  });
}

test('starts in the charts go by the keyboard, and by touch', async () => {
  const { page } = await visit('', PHONE);
  await planFor(page, 4);
  const time = region(page, 'Over time');
  await time.getByRole('radio', { checked: true }).focus();
  await page.keyboard.press('End');
  expect(await spoken(page)).toContain('soonest');
  await page.locator('.tip', { hasText: 'soonest' }).waitFor();
  const dots = region(page, 'Cost against CO₂').getByRole('radio');
  await dots.first().scrollIntoViewIfNeeded();
  const box = await dots.first().boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + 4, (box?.y ?? 0) + 4);
  await expect.poll(() => spoken(page)).not.toContain('soonest');
});

/** What is drawn as short: its label, and whether it lies above what fits and in the colour of what is bad. */
async function shortage(page: Page) {
  await page.locator('.short rect.over').first().waitFor();
  return page.evaluate<{ label: string; isAbove: boolean; isBad: boolean }>(`(() => {
    const [over, fits] = ['.over', '.fits'].map((it) => document.querySelector('.short ' + it));
    const probe = document.createElement('i');
    probe.style.color = 'var(--bad)';
    document.body.append(probe);
    const bad = getComputedStyle(probe).color;
    probe.remove();
    return {
      label: document.querySelector('.short text').textContent,
      isAbove: over.getBoundingClientRect().bottom <= fits.getBoundingClientRect().top + 1.5,
      isBad: getComputedStyle(over).fill === bad,
    };
  })()`);
}

test('nodes that are short are drawn in red, and what to do is said', async () => {
  const { page, faults } = await visit('#/plan?nodes=60');
  const { label, isAbove, isBad } = await shortage(page);
  expect(label).toMatch(/^\d+ nodes short of 60$/);
  expect([isAbove, isBad]).toEqual([true, true]);
  await page.getByText(/nodes were missing.*Ask for fewer nodes, or let it wait until more are free\./).waitFor();
  await page.getByRole('button', { name: /nodes instead of 60/ }).click();
  await page.getByRole('button', { name: /^Book [A-H]$/ }).first().waitFor();
  expect(faults).toEqual([]);
});

test('power that the cap does not leave is drawn in red above it', async () => {
  const { page, faults } = await visit();
  await askForm(page, 12);
  const { label, isAbove, isBad } = await shortage(page);
  expect(label).toMatch(/^[\d.]+ k?W short of [\d.]+ kW$/);
  expect([isAbove, isBad]).toEqual([true, true]);
  await page.getByText(/The power cap is too low.*ask the supplier for more power\./).waitFor();
  expect(faults).toEqual([]);
});

const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  'a picked start': async (page) => {
    await planFor(page, 6);
    await slider(page).focus();
    await slider(page).press('End');
  },
  'nodes short': async (page) => {
    await page.goto(`${service.url}#/plan?nodes=60`);
    await shortage(page);
  },
  'power short': async (page) => {
    await page.goto(`${service.url}#/plan?nodes=30&wait=0&after=${day(12, 12)}`);
    await page.reload();
    await shortage(page);
  },
};

for (const width of WIDTHS) {
  test(`no two texts of the plan collide at ${width} pixels`, async () => {
    const { page } = await visit('', { viewport: { width, height: 900 } });
    const found: Record<string, string[]> = {};
    for (const [name, go] of Object.entries(STATES)) {
      await go(page);
      found[name] = await overlaps(page);
    }
    expect(Object.entries(found).filter(([, pairs]) => pairs.length > 0)).toEqual([]);
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the plan can be used by everybody in every state, ${colorScheme}`, async () => {
    const { page } = await visit('', { colorScheme, bypassCSP: true });
    const found: Record<string, string[]> = {};
    for (const [name, go] of Object.entries(STATES)) {
      await go(page);
      found[name] = await violations(page);
    }
    expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([]);
  });
}

test('on a phone the recommendation is in sight, and nothing moves when it comes', async () => {
  const { page } = await visit('', PHONE);
  await page.addInitScript(`
    window.shifts = 0;
    new PerformanceObserver((list) => {
      for (const it of list.getEntries()) if (!it.hadRecentInput) window.shifts += it.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await planFor(page, 2);
  const box = await page.getByRole('button', { name: /^Book [A-H]$/ }).first().boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(844);
  expect(await page.evaluate<number>('window.shifts')).toBeLessThan(0.1);
  await page.getByText('2 nodes for 2h, within 24 hours').waitFor();
  expect(await page.getByLabel('For how long').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Change' }).tap();
  await page.getByLabel('For how long').fill('3h');
  await page.getByRole('button', { name: 'Done' }).tap();
  await page.getByText('2 nodes for 3h, within 24 hours').waitFor();
});
