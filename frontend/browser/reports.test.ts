// What was saved in a month, by user and by project, promised beside measured.

import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { months } from '../src/time/months';
import { carbon, money } from '../src/units/format';
import { violations } from './axe';
import { overlaps } from './overlaps';
import { lastMonth, past } from './past';
import { tour } from './tour';

const { service, visit } = tour({ begin: past, timeout: 180_000 });

interface Row {
  user?: string;
  project?: string;
  energy_j: number;
  measured_j: number;
  promised_saving_cost: number | null;
  measured_saving_cost: number | null;
  measured_saving_co2_kg: number | null;
}

/** The month by the clock of the site. */
async function window(): Promise<string> {
  const { time_zone } = await service.call<{ time_zone: string | null }>('GET', 'site');
  const month = months(Date.now(), time_zone ?? 'UTC', 3).find(({ id }) => id === lastMonth());
  return `from=${month?.from}&to=${month?.to}`;
}
const rowsBy = async (by: string) => (await service.call<{ rows: Row[] }>('GET', `reports?${await window()}&by=${by}`)).rows;
const sum = (rows: readonly Row[], key: keyof Row) => rows.reduce((all, row) => all + Number(row[key] ?? 0), 0);

test('the first sentence says what was saved, promised beside measured, and users and projects stand side by side', async () => {
  const { page, faults } = await visit(`#/reports?month=${lastMonth()}`);
  const rows = await rowsBy('user');
  const lead = page.getByText(/, against starting as soon as possible, /);
  await lead.waitFor();
  const text = (await lead.textContent()) ?? '';
  const size = (key: keyof Row) => Math.abs(sum(rows, key));
  const [measured = '', promised = ''] = text.split('; the offers promised ');
  expect(measured).toContain(money(size('measured_saving_cost'), 'EUR'));
  expect(measured).toContain(carbon(1000 * size('measured_saving_co2_kg')));
  expect(promised).toContain(`${money(size('promised_saving_cost'), 'EUR')} saved`);
  expect(text).toMatch(/[\d.]+ % of the energy behind this was measured/);
  const users = page.getByRole('region', { name: 'Saved by user', exact: true });
  const projects = page.getByRole('region', { name: 'Saved by project', exact: true });
  expect(await users.locator('tbody tr').count()).toBe(rows.length);
  for (const project of ['ocean', 'ice']) {
    const row = (await rowsBy('project')).find((it) => it.project === project);
    const cells = await projects.getByRole('row', { name: project }).textContent();
    expect(cells).toContain(money(row?.promised_saving_cost ?? NaN, 'EUR'));
    expect(cells).toContain(money(row?.measured_saving_cost ?? NaN, 'EUR'));
  }
  // Only of what is nobody's there is no start to compare.
  expect(await page.getByText(/nothing is known of starting/).count()).toBe(0);
  expect(await users.getByText('no start to compare').count()).toBe(1);
  expect(faults).toEqual([]);
});

test('the table has every line, with units in its names, and sums to what the API says', async () => {
  const { page } = await visit(`#/reports?month=${lastMonth()}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Table (CSV)' }).click();
  const [head = '', ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
  const columns = head.split(',');
  const total = (name: string) => {
    const at = columns.indexOf(name);
    expect(at).toBeGreaterThanOrEqual(0);
    return lines.reduce((all, line) => all + Number(line.split(',')[at] ?? NaN), 0);
  };
  expect(columns.slice(0, 4)).toEqual(['user', 'project', 'application', 'partition']);
  const rows = await rowsBy('user');
  for (const key of ['energy_j', 'measured_j'] as const) expect(total(key)).toBe(sum(rows, key));
  expect(total('promised_saving_cost_EUR')).toBeCloseTo(sum(rows, 'promised_saving_cost'), 5);
  expect(total('measured_saving_cost_EUR')).toBeCloseTo(sum(rows, 'measured_saving_cost'), 5);
  expect(total('measured_saving_co2_kg')).toBeCloseTo(sum(rows, 'measured_saving_co2_kg'), 5);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a report can be read by everybody, at any width and in print, ${colorScheme}`, async () => {
    const { page } = await visit(`#/reports?month=${lastMonth()}&by=user,project`, { colorScheme, bypassCSP: true });
    await page.getByText(/, against starting as soon as possible, /).waitFor();
    expect(await violations(page)).toEqual([]);
    for (const width of [390, 820, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, ...(await overlaps(page))]).toEqual([width]);
    }
    await page.setViewportSize({ width: 688, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    expect(await overlaps(page)).toEqual([]);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.evaluate('getComputedStyle(document.querySelector("thead")).display')).toBe('table-header-group');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(20, 32, 29)');
  });
}
