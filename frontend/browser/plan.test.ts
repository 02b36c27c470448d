import { readFileSync } from 'node:fs';

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';

import { askForm, day, lower } from './peak';
import { tour } from './tour';

const { service, visit } = tour();

test('books an offer and hands over its calendar file', async () => {
  const { page, faults } = await visit();
  // How many depends on the hour: the demonstration's agendas go by the day.
  await page.getByRole('heading', { name: 'When to start' }).waitFor();
  expect(await page.getByRole('img', { name: /Price, CO₂ intensity and power cap/ }).isVisible()).toBe(true);
  expect(await page.getByRole('img', { name: /Cost against CO₂/ }).isVisible()).toBe(true);
  expect(await page.getByRole('region', { name: 'Why not earlier?' }).getByRole('listitem').count()).toBeGreaterThan(2);

  await page.getByLabel('Nodes', { exact: true }).fill('5');
  await page.getByLabel('For how long').fill('1:30:00');
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

/** Holds up what is posted until so many have. */
function together(count: number) {
  let goOn = () => {};
  const all = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let posted = 0;
  return async (route: Route) => {
    if (route.request().method() === 'POST') {
      posted += 1;
      if (posted === count) goOn();
      await all;
    }
    await route.continue();
  };
}

test('of two who want the same nodes one gets them and the other is told', async () => {
  const [one, other] = await Promise.all([visit(), visit()]);
  const both = together(2);
  for (const { page } of [one, other]) await page.route((url) => url.pathname.endsWith('/api/v1/reservations'), both);
  for (const { page } of [one, other]) {
    await page.getByLabel('Nodes', { exact: true }).fill('25');
    await page.getByLabel('For how long').fill('2h');
    await page.getByLabel('It can wait').selectOption('0');
    await page.getByLabel('Not before').fill(day(9, 6).slice(0, 16));
    await page.getByText('25 nodes,').first().waitFor();
  }
  // Neither is told of the other before both have pressed: the book decides who was first.
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

/** The service answers quotes only after so many milliseconds. */
async function delayQuotes(page: Page, milliseconds: number) {
  await page.route('**/api/v1/quotes', async (route) => {
    await new Promise((done) => setTimeout(done, milliseconds));
    await route.continue();
  });
}
interface Mine {
  id: string;
  owner: string;
  state: string;
  request: { nodes: number };
}
/** What this page's user has booked or holds. */
async function mine(): Promise<Mine[]> {
  const { items } = await service.call<{ items: Mine[] }>('GET', 'reservations?state=proposed,confirmed&limit=1000');
  return items.filter((it) => it.owner === 'local');
}
/** Presses a button even where it is disabled, or where somebody enabled it. */
const force = (page: Page, name: string) =>
  page.getByRole('button', { name }).evaluate((button: HTMLButtonElement) => {
    button.disabled = false;
    button.click();
  });

test('books what the form says, however late answers are', async () => {
  const { page, faults } = await visit();
  await page.getByText('8 nodes,').first().waitFor();
  const before = (await mine()).length;
  await delayQuotes(page, 5000);
  await page.getByLabel('Nodes', { exact: true }).fill('20');
  const button = page.getByRole('button', { name: 'Book A' });
  expect(await button.isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Hold all while I think' }).isDisabled()).toBe(true);
  await page.getByText('Working out what the form says now').waitFor();
  // The offers of eight nodes are still there; nothing of them can be had.
  expect(await page.getByText('8 nodes,').count()).toBeGreaterThan(0);
  await force(page, 'Book A');
  await force(page, 'Hold all while I think');
  await page.getByText('20 nodes,').first().waitFor();
  expect((await mine()).length).toBe(before);
  await button.click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  expect((await mine()).at(-1)?.request.nodes).toBe(20);
  expect(faults).toEqual([]);
});

test('books nothing while the form is wrong', async () => {
  const { page } = await visit();
  await page.getByText('8 nodes,').first().waitFor();
  const before = (await mine()).length;
  await page.getByLabel('Nodes', { exact: true }).fill('many');
  await page.getByText('Mend what is wrong in the form').waitFor();
  expect(await page.getByRole('button', { name: 'Book A' }).isDisabled()).toBe(true);
  await force(page, 'Book A');
  await page.getByLabel('Nodes', { exact: true }).fill('8');
  await page.getByLabel('Nodes', { exact: true }).press('Tab');
  await page.locator('button:enabled', { hasText: 'Book A' }).waitFor();
  // What the service finds wrong counts as well.
  await page.getByText(/^More/).click();
  await page.getByLabel('Partition').fill('gpu');
  await page.locator('input[aria-invalid="true"]').waitFor();
  expect(await page.getByRole('button', { name: 'Book A' }).isDisabled()).toBe(true);
  await force(page, 'Book A');
  expect((await mine()).length).toBe(before);
});

test('what changes between the press and the booking is told, and nothing is booked', async () => {
  const { page } = await visit();
  await page.getByText('8 nodes,').first().waitFor();
  const before = (await mine()).length;
  // The page asks for what it shows; on its way the request becomes another, as a client in a race would send it.
  let told = '';
  await page.route('**/api/v1/reservations', async (route) => {
    const body = route.request().postDataJSON() as { nodes: number; expected: { node_count: number } };
    expect(body.expected.node_count).toBe(8);
    const answer = await route.fetch({ postData: JSON.stringify({ ...body, nodes: 20 }) });
    told = `${answer.status()} ${((await answer.json()) as { code: string }).code}`;
    await route.fulfill({ response: answer });
  });
  // The last of all is one that the service offered, with the request as it was.
  await page.getByRole('button', { name: /^Book [A-H]$/ }).last().click();
  await page.getByText('This offer changed in the same moment, so nothing was booked.').waitFor();
  expect(told).toBe('409 offer_changed');
  expect((await mine()).length).toBe(before);
});

test('offers that are held go with what the form said then', async () => {
  const { page, faults } = await visit();
  await page.getByRole('button', { name: 'Hold all while I think' }).click();
  await page.getByRole('heading', { name: /Held for you/ }).waitFor();
  await page.getByLabel('Nodes', { exact: true }).fill('20');
  await page.getByText('These offers are held for what the form said before.').waitFor();
  expect(await page.getByRole('button', { name: 'Book A' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Undo the change' }).click();
  expect(await page.getByLabel('Nodes', { exact: true }).inputValue()).toBe('8');
  await page.getByRole('button', { name: 'Book A' }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  expect(faults).toEqual([]);
});

test('a lost connection is told and recovers by itself', async () => {
  const { page, faults } = await visit();
  await page.getByRole('button', { name: 'Book A' }).waitFor();
  await service.kill();
  await page.getByLabel('Nodes', { exact: true }).fill('3');
  await page.getByText('The service is out of reach. What you see may be old').waitFor();
  await page.getByText('The service is out of reach: nothing can be booked.').waitFor();
  expect(await page.getByRole('button', { name: 'Book A' }).isDisabled()).toBe(true);
  await service.start();
  await page.getByText('The service is out of reach. What you see may be old').waitFor({ state: 'detached' });
  await page.getByText('3 nodes,').first().waitFor();
  expect(faults).toEqual([]);
});
