// Series of reservations, on the page.

import { expect, test } from 'vitest';

import { tour } from './tour';

interface Series {
  id: string;
  state: string;
  recur: string;
  occurrences: { occurrence: string; state: string }[];
}

const { service, visit } = tour();
const DAY = 86_400_000;
const date = (ahead: number) => new Date(Date.now() + ahead * DAY).toISOString().slice(0, 10);

test('books a series, leaves one out, changes what is to come, and ends it', async () => {
  const { page, faults } = await visit('#/plan');
  await page.getByLabel('Nodes', { exact: true }).fill('2');
  await page.getByLabel('For how long').fill('1h');
  await page.getByLabel('Not before').fill(`${date(2)}T08:00`);
  await page.getByLabel('It can wait').selectOption('6');
  await page.getByLabel('Repeat').selectOption('day');
  await page.getByText('Say how it is repeated, and until when.').waitFor();
  expect(await page.getByRole('button', { name: 'Book the series' }).isDisabled()).toBe(true);
  await page.getByLabel('Until', { exact: true }).fill(date(6));
  await page.getByRole('button', { name: 'Book the series' }).click();
  await page.getByRole('heading', { name: 'Booked every day' }).waitFor();

  await page.getByRole('link', { name: 'See each time' }).click();
  await page.getByRole('heading', { name: '2 nodes for 1 h, every day' }).waitFor();
  const { items } = await service.call<{ items: Series[] }>('GET', 'series');
  const id = items[0]?.id ?? '';
  const read = () => service.call<Series>('GET', `series/${id}`);
  // From the third day to the seventh.
  expect((await read()).occurrences).toHaveLength(5);

  await page.getByRole('button', { name: 'Each time' }).click();
  const last = (await read()).occurrences.at(-1)?.occurrence ?? '';
  await page.getByRole('button', { name: `Leave out ${last}` }).click();
  await page.getByRole('button', { name: 'Yes, leave it out' }).click();
  await page.getByText('Left out: the others stay.').waitFor();
  expect((await read()).occurrences.at(-1)?.state).toBe('left_out');

  await page.getByRole('button', { name: 'Change what is to come' }).click();
  await page.getByLabel('Nodes', { exact: true }).fill('3');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('heading', { name: '3 nodes for 1 h, every day' }).waitFor();

  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('button', { name: 'Yes, end it' }).click();
  await page.getByText('Ended: what had not begun is cancelled.').waitFor();
  expect((await read()).state).toBe('ended');
  expect(faults).toEqual([]);
});
