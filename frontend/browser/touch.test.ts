// Charts by touch: a tap reads out, two fingers zoom.

import { expect, test } from 'vitest';

import { tour } from './tour';

const { visit } = tour();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a tap on a chart reads out what holds there, and goes on saying it', async () => {
  const { page } = await visit('', PHONE);
  const chart = page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ });
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  await chart.tap({ position: { x: 150, y: 60 } });
  await page.waitForTimeout(300);
  expect(await page.getByText(/EUR\/MWh · .* g CO₂\/kWh · cap/).count()).toBe(1);
});

test('a tap on the schedule says whose bar it is, and its names are beside the bars', async () => {
  const { page } = await visit('#/schedule', PHONE);
  await page.getByText('in view').waitFor();
  const chart = page.getByRole('img', { name: /Schedule of nodes/ });
  await chart.tap({ position: { x: 20, y: 100 } });
  await page.waitForTimeout(300);
  expect(await page.getByText(/· aube-\d+ · /).count()).toBe(1);
  // The bars begin where the names end.
  const [names, bars] = [await page.locator('canvas.names').boundingBox(), await chart.boundingBox()];
  expect((names?.x ?? 0) + (names?.width ?? 0)).toBeLessThanOrEqual(bars?.x ?? 0);
  expect(names?.width).toBeGreaterThan(30);
});

test('two fingers zoom the schedule', async () => {
  const { page } = await visit('#/schedule', PHONE);
  await page.getByText('in view').waitFor();
  const chart = page.getByRole('img', { name: /Schedule of nodes/ });
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const [middle, y] = [(box?.x ?? 0) + 130, (box?.y ?? 0) + 60];
  const fingers = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: apart === undefined ? [] : [{ x: middle - apart, y, id: 0 }, { x: middle + apart, y, id: 1 }],
    });
  await touch('touchStart', 20);
  for (const apart of [30, 45, 60]) await touch('touchMove', apart);
  await touch('touchEnd');
  const { searchParams } = new URL((await page.evaluate<string>('location.hash.slice(2)').then(async (first) => {
    if (first.includes('from=')) return first;
    await page.waitForTimeout(500);
    return page.evaluate<string>('location.hash.slice(2)');
  })), 'http://there/');
  const seen = Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '');
  // A day seen by fingers three times as far apart is eight hours.
  expect(Math.abs(seen - 8 * 3_600_000)).toBeLessThan(1_800_000);
});
