// What somebody looks at is in the address: loading again, going back and a link sent to others show the same.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { hours, tour } from './tour';

const { service, visit } = tour();

const hash = (page: Page) => new URL(page.url()).hash;
const nodes = (page: Page) => page.getByLabel('Nodes', { exact: true });
const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name });

test('the form survives loading again, going back, and another time zone', async () => {
  const { page, faults } = await visit();
  await nodes(page).fill('5');
  await page.getByLabel('For how long').fill('1:30:00');
  await page.getByLabel('Not before').fill('2027-01-10T08:00');
  await page.getByLabel('It can wait').selectOption('end');
  await page.getByLabel('Finished by').fill('2027-01-11T20:00');
  await expect.poll(() => hash(page)).toBe('#/plan?after=2027-01-10T07:00:00Z&for=1:30:00&nodes=5&until=2027-01-11T19:00:00Z&wait=end');
  const said = async () => [
    await nodes(page).inputValue(),
    await page.getByLabel('For how long').inputValue(),
    await page.getByLabel('Not before').inputValue(),
    await page.getByLabel('Finished by').inputValue(),
  ];
  const before = ['5', '1:30:00', '2027-01-10T08:00', '2027-01-11T20:00'];
  await page.reload();
  expect(await said()).toEqual(before);
  await link(page, 'Nodes').click();
  await page.getByText('What each node does now').waitFor();
  await page.goBack();
  await nodes(page).waitFor();
  expect(await said()).toEqual(before);
  // The same instants, on other clocks.
  await page.getByLabel('Time zone').selectOption('Asia/Kolkata');
  await expect.poll(said).toEqual(['5', '1:30:00', '2027-01-10T12:30', '2027-01-12T00:30']);
  await expect.poll(() => hash(page)).toContain('after=2027-01-10T07:00:00Z');
  expect(faults).toEqual([]);
});

test('a hold goes on after loading again, and so does what was booked', async () => {
  const { page, faults } = await visit('#/plan?nodes=3');
  await page.getByRole('button', { name: 'Hold all while I think' }).click();
  const held = page.getByRole('heading', { name: /Held for you for/ });
  await held.waitFor();
  await page.reload();
  await held.waitFor();
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  // Whoever comes back by the navigation plans anew.
  await link(page, 'Grid').click();
  await page.getByText('Feeds').first().waitFor();
  await link(page, 'Plan').click();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  expect(await nodes(page).inputValue()).toBe('3');
  expect(faults).toEqual([]);
});

test('a hold of another request than the form says is not taken for its answer', async () => {
  const request = { nodes: 4, duration_s: 7200, earliest_start: hours(1), latest_start: hours(5) };
  const { id } = await service.call<{ id: string }>('POST', 'reservations', request);
  const { page } = await visit(`#/plan?nodes=9&hold=${id}`);
  await page.getByText('The offers that are held are for another request').waitFor();
  await page.getByText('9 nodes,').first().waitFor();
  await service.call('DELETE', `reservations/${id}`);
});

test('the schedule keeps its span, its nodes and whose bars it shows', async () => {
  const { page } = await visit('#/schedule');
  await page.getByText('in view').waitFor();
  await page.getByLabel('Span').selectOption('3 days');
  await page.getByLabel('Of whom').selectOption('climate');
  await expect.poll(() => hash(page)).toMatch(/hours=72.*of=climate/);
  await page.getByRole('button', { name: 'Later' }).click();
  await expect.poll(() => hash(page)).toContain('from=20');
  const kept = hash(page);
  await page.reload();
  await page.getByText('in view').waitFor();
  expect(await page.getByLabel('Of whom').inputValue()).toBe('climate');
  await expect.poll(() => hash(page)).toBe(kept);
});

test('tabs are steps that Back undoes; filters and ticks stay', async () => {
  const { page } = await visit('#/reservations');
  await page.getByLabel('Whose').selectOption('all');
  await page.getByRole('button', { name: 'Past' }).click();
  await expect.poll(() => hash(page)).toBe('#/reservations?tab=past&whose=all');
  await page.reload();
  expect(await page.getByRole('button', { name: 'Past' }).getAttribute('aria-pressed')).toBe('true');
  await page.goBack();
  await expect.poll(() => page.getByRole('button', { name: 'To come' }).getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByLabel('Whose').inputValue()).toBe('all');

  await service.call('POST', 'simulations', { name: 'Kept', parameters: { nodes: 20, requests: 5, runs: 1 } });
  await page.goto(`${service.url}#/simulate`);
  await page.getByRole('checkbox', { name: /^Kept/ }).check();
  await expect.poll(() => hash(page)).toMatch(/shown=/);
  await page.reload();
  await page.getByRole('checkbox', { name: /^Kept/ }).waitFor();
  expect(await page.getByRole('checkbox', { name: /^Kept/ }).isChecked()).toBe(true);
});
