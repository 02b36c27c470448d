import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { askForm, day, lower } from './peak';
import { tour } from './tour';

const { service, visit } = tour();

test('books an offer and hands over its calendar file', async () => {
  const { page, faults } = await visit();
  await page.getByRole('heading', { name: '3 offers, each best at something' }).waitFor();
  expect(await page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ }).isVisible()).toBe(true);
  expect(await page.getByRole('img', { name: /Cost against CO₂/ }).isVisible()).toBe(true);
  expect(await page.getByRole('region', { name: 'Why not earlier?' }).getByRole('listitem').count()).toBeGreaterThan(2);

  await page.getByLabel('Nodes', { exact: true }).fill('5');
  await page.getByLabel('For how long').fill('1h30');
  await page.getByText('5 nodes,').first().waitFor();
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Calendar file (.ics)' }).click();
  const file = readFileSync((await (await download).path()) ?? '', 'utf8');
  expect(file).toMatch(/BEGIN:VEVENT[^]*SUMMARY:Wattbook: 5 nodes[^]*END:VCALENDAR/);

  const mine = await service.call<{ items: { owner: string; state: string }[] }>('GET', 'reservations');
  expect(mine.items.filter((it) => it.owner === 'local').map((it) => it.state)).toContain('confirmed');
  expect(faults).toEqual([]);
});

test('reads prices with the keyboard', async () => {
  const { page } = await visit();
  const chart = page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ });
  await chart.focus();
  await chart.press('ArrowRight');
  await page.getByText(/EUR\/MWh · .* g CO₂\/kWh · cap .* kW/).waitFor();
});

test('says in words what is wrong with the form', async () => {
  const { page } = await visit();
  await page.getByLabel('Nodes', { exact: true }).fill('many');
  await page.getByText('A whole number of nodes, 1 or more.').waitFor();
  await page.getByLabel('Nodes', { exact: true }).fill('4');
  await page.getByText(/^More/).click();
  await page.getByLabel('Partition').fill('gpu');
  await page.locator('input[aria-invalid="true"]').waitFor();
  expect(await page.getByLabel('Partition').getAttribute('aria-invalid')).toBe('true');
});

test('offers the nearest requests that fit where one does not', async () => {
  const { page, faults } = await visit();
  await page.getByLabel('Nodes', { exact: true }).fill('60');
  await page.getByRole('heading', { name: 'This does not fit' }).waitFor();
  await page.getByText(/Not enough free nodes|The power cap is too low/).first().waitFor();
  const fewer = page.getByRole('button', { name: /nodes instead of 60/ });
  const wanted = /^(\d+) nodes/.exec((await fewer.textContent()) ?? '')?.[1] ?? '';
  await fewer.click();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  expect(await page.getByLabel('Nodes', { exact: true }).inputValue()).toBe(wanted);
  expect(faults).toEqual([]);
});

test('tells that the supplier is not asked where the service does not negotiate', async () => {
  await lower(service, day(12), day(13));
  const { page, faults } = await visit();
  await askForm(page, 12);
  await page.getByRole('button', { name: 'Ask the supplier for more power' }).click();
  await page.getByText(/The supplier is not asked: /).waitFor();
  expect(faults).toEqual([]);
});

test('holds offers while somebody thinks, and gives them back', async () => {
  const { page } = await visit();
  await page.getByRole('button', { name: 'Hold all while I think' }).click();
  await page.getByRole('heading', { name: /Held for you for 1[45]:/ }).waitFor();
  await page.getByRole('button', { name: 'Give back' }).click();
  await page.getByRole('button', { name: 'Hold all while I think' }).waitFor();
});

test('of two who want the same nodes one gets them and the other is told', async () => {
  const [one, other] = await Promise.all([visit(), visit()]);
  for (const { page } of [one, other]) {
    await page.getByLabel('Nodes', { exact: true }).fill('25');
    await page.getByLabel('For how long').fill('2h');
    await page.getByLabel('It can wait').selectOption('0');
    await page.getByLabel('Not before').fill(day(9, 6).slice(0, 16));
    await page.getByText('25 nodes,').first().waitFor();
  }
  // Both press at once: the book decides who was first.
  await Promise.all([one, other].map(({ page }) => page.getByRole('button', { name: 'Book A' }).click()));
  const booked = [one, other].map(({ page }) => page.getByRole('heading', { name: 'Booked' }));
  const told = [one, other].map(({ page }) => page.getByText('Somebody else was faster'));
  const ends = await Promise.all(
    [0, 1].map((index) =>
      Promise.race([
        booked[index]?.waitFor().then(() => 'booked'),
        told[index]?.waitFor().then(() => 'told'),
      ]),
    ),
  );
  expect(ends.sort()).toEqual(['booked', 'told']);
});

test('a lost connection is told and recovers by itself', async () => {
  const { page, faults } = await visit();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  await service.kill();
  await page.getByLabel('Nodes', { exact: true }).fill('3');
  await page.getByText('The service is out of reach. What you see may be old').waitFor();
  await service.start();
  await page.getByText('The service is out of reach. What you see may be old').waitFor({ state: 'detached' });
  await page.getByText('3 nodes,').first().waitFor();
  expect(faults).toEqual([]);
});
