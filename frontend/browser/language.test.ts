// Another language: chosen once, kept on the device, in every page, and nowhere in the way.

import { expect, test } from 'vitest';

import { violations } from './axe';
import { overlaps } from './overlaps';
import { things, placesOf, SETTINGS, type Things } from './things';
import { tour } from './tour';

let made: Things;
const { service, visit } = tour({ settings: SETTINGS, prepare: async (service) => void (made = await things(service)) });

/** Words that stand on a page in English only; names that people gave things are not among them. */
const NAMED = /for the review|What waiting saves|new power supplies/;
const ENGLISH = /(?<!\[)\b(the|nodes?|and|reservations?|power|cheapest|nothing|since|until|save[sd]?|with)\b/;
const PAGES = ['overview', 'plan', 'reservations', 'schedule', 'nodes', 'nodes?tab=outages', 'nodes?tab=switching', 'nodes?tab=calibration', 'grid', 'reports', 'simulate', 'account'];

test('a language is chosen in the header and stays', async () => {
  const { page, faults } = await visit('#/plan');
  await page.getByRole('heading', { name: 'When to start' }).waitFor();
  await page.getByLabel('Language').selectOption('Français');
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Mes réservations' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('fr');
  await page.reload();
  await page.getByLabel('Langue').waitFor();
  await page.getByLabel('Langue').selectOption('English');
  await page.getByRole('heading', { name: 'When to start' }).waitFor();
  expect(faults).toEqual([]);
});

test('a language that cannot be loaded is told of, and can be tried again', async () => {
  const { page, faults } = await visit('#/plan');
  await page.getByRole('heading', { name: 'When to start' }).waitFor();
  await page.route('**/assets/fr-*.js', (route) => route.abort());
  await page.getByLabel('Language').selectOption('Français');
  const told = page.getByRole('alert').filter({ hasText: 'Français could not be loaded. The page stays in English; you may try again.' });
  await told.waitFor();
  // What is in force is what the list says, and what is kept.
  expect(await page.getByLabel('Language').inputValue()).toBe('en');
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.evaluate<string | null>(`localStorage.getItem('wattbook-language')`)).toBe(null);
  await told.getByRole('button', { name: 'Try again' }).click();
  await told.waitFor();
  await page.unroute('**/assets/fr-*.js');
  await told.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Mes réservations' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByLabel('Langue').inputValue()).toBe('fr');
  expect(await page.evaluate<string | null>(`localStorage.getItem('wattbook-language')`)).toBe('fr');
  expect(faults).toEqual([]);
});

test('who stays in the language that there is is told no more', async () => {
  const { page } = await visit('#/plan');
  await page.route('**/assets/fr-*.js', (route) => route.abort());
  await page.getByLabel('Language').selectOption('Français');
  await page.getByRole('button', { name: 'Stay in English' }).click();
  await page.getByText('could not be loaded').waitFor({ state: 'detached' });
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
});

test('what the service says is marked as English where the page is in French', async () => {
  const { page, faults } = await visit('#/plan', { locale: 'fr-FR' });
  // What is wrong with a field.
  await page.getByLabel('Nœuds', { exact: true }).fill('4');
  await page.locator('summary', { hasText: /^Plus/ }).click();
  await page.getByLabel('Partition').fill('gpu');
  await page.locator('.error [lang=en]').waitFor();
  // What the service refuses.
  const problem = { type: 'about:blank', title: 'Conflict', status: 409, code: 'busy', detail: 'the service says no' };
  await page.route('**/api/v1/nodes?*', (route) => route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem }));
  await page.goto(`${service.url}#/nodes`);
  const said = page.getByRole('alert').locator('[lang=en]', { hasText: 'the service says no' });
  await said.first().waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('fr');
  expect(faults).toEqual([]);
});

test.each([390, 1024, 1440])('every page is in French for a browser that asks for it, %d pixels wide', { timeout: 240_000 }, async (width) => {
  const { page, faults } = await visit('', { locale: 'fr-FR', bypassCSP: true, viewport: { width, height: 900 } });
  const places = [...PAGES.map((it) => `#/${it}`), ...Object.values(placesOf(made)).map(([hash]) => hash)];
  for (const place of places) {
    await page.goto(`${service.url}${place}`);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForTimeout(1200);
    expect(await page.locator('html').getAttribute('lang')).toBe('fr');
    // What the service itself says stays as it is.
    const said = await page.locator('main [lang=en]').allInnerTexts();
    const isSaid = (line: string) => NAMED.test(line) || said.some((text) => line.includes(text));
    const lines = (await page.locator('body').innerText()).split('\n').filter((line) => ENGLISH.test(line) && !isSaid(line));
    expect({ place, lines }).toEqual({ place, lines: [] });
    expect({ place, found: await overlaps(page) }).toEqual({ place, found: [] });
    expect({ place, found: await violations(page) }).toEqual({ place, found: [] });
  }
  expect(faults).toEqual([]);
});

test('a length that the page writes in French is read again', async () => {
  const { page } = await visit('#/plan', { locale: 'fr-FR' });
  const field = page.getByLabel('Durée', { exact: false }).first();
  await field.fill('1 j 2 h');
  await page.getByText('1 jour 2 heures').first().waitFor();
});
