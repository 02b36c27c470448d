// What people come for, from an empty tab on: how many clicks and keys each takes, and how soon the page has the answer.
// `npm run tasks`, with the binary that WATTBOOK names. Nobody thinks here: seconds are the page's own.

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { past } from './past';
import type { Service } from './service';
import { tour } from './tour';

const TIMES = 5;

interface Booked {
  id: string;
  start: string;
  end: string;
  offers: { offer_id: string; nodes: string[] }[];
}

/** Two reservations that run now, on nodes of which a meter tells. */
async function running(service: Service): Promise<void> {
  for (const nodes of [4, 8]) {
    const now = Date.now() - 1_800_000;
    const iso = (minutes: number) => new Date(now + minutes * 60_000).toISOString().replace(/\.\d+/, '');
    const request = { nodes, duration_s: 6 * 3600, earliest_start: iso(1), latest_start: iso(16) };
    const made = await service.call<Booked>('POST', 'reservations', request);
    await service.call('POST', `reservations/${made.id}/choose`, { offer_id: made.offers[0]?.offer_id });
  }
}

const { service, visit } = tour({ begin: (service) => past(service, running), timeout: 240_000 });

/** Somebody who counts what they do. */
class Person {
  clicks = 0;
  keys = 0;

  constructor(readonly page: Page) {}

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }
  /** A choice from a list is two clicks. */
  async choose(list: Locator, label: string | { index: number }): Promise<void> {
    this.clicks += 2;
    await list.selectOption(typeof label === 'string' ? { label } : label);
  }
  async type(field: Locator, text: string): Promise<void> {
    this.clicks += 1;
    this.keys += text.length;
    await field.fill(text);
  }
  open(name: string): Promise<void> {
    return this.click(this.page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name, exact: true }));
  }
}

/** Takes back what was booked, so that every tab finds the same. */
async function cancel(locations: string[]): Promise<void> {
  for (const location of locations) await service.call('DELETE', `reservations/${location.split('/').at(-1)}`);
}

/** Does a task in new tabs, and prints what it takes. */
async function time(name: string, task: (person: Person, page: Page) => Promise<void>): Promise<void> {
  const seconds: number[] = [];
  let took = '';
  for (let tab = 0; tab < TIMES; tab += 1) {
    const made: string[] = [];
    const { page, faults } = await visit('health/live');
    page.on('response', (it) => void (it.request().method() === 'POST' && it.url().endsWith('/reservations') && made.push(it.headers().location ?? '')));
    const person = new Person(page);
    const began = performance.now();
    await page.goto(service.url);
    await task(person, page);
    seconds.push((performance.now() - began) / 1000);
    took = `${person.clicks} clicks, ${person.keys} keys`;
    expect(faults).toEqual([]);
    await page.context().close();
    await cancel(made);
  }
  seconds.sort((one, other) => one - other);
  console.log(`${name}: ${took}, median ${seconds[TIMES >> 1]?.toFixed(1)} s, longest ${seconds.at(-1)?.toFixed(1)} s`);
}

/** The first offer is the recommended one. */
const book = (page: Page) => page.getByRole('button', { name: /^Book [A-H]$/ }).first();
const booked = (page: Page) => page.getByRole('heading', { name: /^Booked/ }).waitFor();
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

test('book the recommendation', () =>
  time('book the recommendation', async (person, page) => {
    await person.click(book(page));
    await booked(page);
  }));

test('book for tomorrow morning', () =>
  time('book for tomorrow morning', async (person, page) => {
    const asked = page.waitForResponse((it) => it.url().endsWith('/quotes') && (it.request().postData() ?? '').includes(`${tomorrow()}T07`));
    await person.type(page.getByLabel('Not before'), `${tomorrow()}T08:00`);
    await person.choose(page.getByLabel('It can wait'), '3 hours');
    await asked;
    await person.click(book(page));
    await booked(page);
  }));

test('find why nothing fits, and book the nearest', () =>
  time('find why nothing fits, and book the nearest', async (person, page) => {
    await person.choose(page.getByLabel('It can wait'), 'Not at all');
    await person.type(page.getByLabel('Nodes', { exact: true }), '40');
    await person.click(page.getByRole('button', { name: /^Later: first possible/ }));
    await person.click(book(page));
    await booked(page);
  }));

test('find the nodes of a job', () =>
  time('find the nodes of a job', async (person, page) => {
    await person.open('My reservations');
    await person.click(page.getByText('Which nodes').first());
    await page.getByRole('link', { name: /^aube-\d+$/ }).first().waitFor();
  }));

test('see who uses most power now', () =>
  time('see who uses most power now', async (person, page) => {
    await person.open('Overview');
    await page.getByRole('region', { name: 'Runs now' }).getByRole('row').nth(1).waitFor();
  }));

test('see what last month saved', () =>
  time('see what last month saved', async (person, page) => {
    await person.open('Reports');
    await person.choose(page.getByRole('combobox', { name: 'Month' }), { index: 1 });
    await page.getByText(/saved/).first().waitFor();
  }));

test('see whether the CO2 source is late', () =>
  time('see whether the CO2 source is late', async (person, page) => {
    await person.open('Overview');
    await page.getByRole('region', { name: 'Sources' }).getByRole('listitem').filter({ hasText: 'CO₂' }).first().waitFor();
  }));
