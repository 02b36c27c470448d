// Reservations, nodes, simulations, sources and negotiations have pages of their own: lists lead there, and they tell all that there is.

import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';

import { violations } from './axe';
import { overlaps } from './overlaps';
import { SETTINGS, asEnded, inSlurm, placesOf, things, type Things } from './things';
import { tour } from './tour';

// Each goes through several pages.
vi.setConfig({ testTimeout: 120_000 });

const WIDTHS = [390, 768, 1024, 1280, 1440, 2560];

let made: Things;
const { service, visit } = tour({ settings: SETTINGS, timeout: 120_000, prepare: async (service) => void (made = await things(service)) });

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const region = (page: Page, name: string) => page.getByRole('region', { name });
const hash = (page: Page) => new URL(page.url()).hash;

/** Goes to a page, follows the link of a list to a thing, loads it again, and goes back. */
async function follows(from: string, link: (page: Page) => ReturnType<Page['getByRole']>, to: string, title: string | RegExp): Promise<Page> {
  const { page, faults } = await visit(from);
  await link(page).click();
  await heading(page, title).waitFor();
  expect(hash(page)).toBe(to);
  await page.reload();
  await heading(page, title).waitFor();
  await page.goBack();
  await link(page).waitFor();
  expect(hash(page)).toBe(from);
  await page.goForward();
  await heading(page, title).waitFor();
  expect(faults).toEqual([]);
  return page;
}

test('my reservations lead to each, which says what was promised and leads to its nodes', async () => {
  const { id } = made.reservation;
  const link = (page: Page) => page.locator(`#reservation-${id}`).getByRole('heading').getByRole('link');
  const page = await follows('#/reservations?search=review', link, `#/reservations/${id}`, 'Reservation of 4 nodes for 2 h');
  expect(await page.title()).toContain(id);
  const promised = region(page, 'What was promised, and what came');
  await promised.getByRole('row', { name: /^Energy .*kWh – –$/ }).waitFor();
  await promised.getByText('What came is told once it has begun.').waitFor();
  await promised.getByRole('img', { name: /Power of the reservation over time/ }).waitFor();
  await region(page, 'What was asked for').getByText(id).waitFor();
  const history = region(page, 'History');
  await history.getByText(/local asked for it$/).waitFor();
  await history.getByText(/Not chosen yet → Booked/).waitFor();
  // Nothing is said of Slurm where there is none.
  expect(await page.getByText('How to use it').count()).toBe(0);
  // The way back is to the list as it was looked at.
  await page.getByRole('link', { name: '◂ My reservations' }).click();
  expect(await page.getByLabel('Search').inputValue()).toBe('review');
  await page.goBack();
  await region(page, 'Connected with it').getByRole('link', { name: made.node, exact: true }).click();
  await heading(page, `Node ${made.node}`).waitFor();
});

test('a reservation in Slurm says how it is used, by lines that can be copied', async () => {
  const { page } = await visit('', { permissions: ['clipboard-read', 'clipboard-write'] });
  const { id } = made.reservation;
  await inSlurm(page, made.reservation);
  await page.goto(`${service.url}#/reservations/${id}`);
  const use = region(page, 'How to use it');
  const line = `sbatch --reservation=wattbook-${id} --nodes=4 --time=1:59:00 job.sh`;
  expect(await use.getByLabel('Line for a batch job', { exact: true }).inputValue()).toBe(line);
  await use.getByRole('button', { name: 'Copy line for a batch job' }).click();
  await use.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(line);
  await use.getByText(/^4711 of ada \(physics\), completed/).waitFor();
  await page.getByRole('button', { name: 'Copy the address' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
});

test('a reservation that ended says what came, in words and as a picture', async () => {
  const { page, faults } = await visit();
  await asEnded(page, made.reservation);
  await page.goto(`${service.url}#/reservations/${made.reservation.id}`);
  const came = region(page, 'What was promised, and what came');
  await came.getByRole('row', { name: /^Energy .* less \(10 %\)$/ }).waitFor();
  await came.getByRole('row', { name: /^Cost \d.* more \(20 %\)$/ }).waitFor();
  await came.getByRole('row', { name: /^CO₂, average, life cycle \d.* less \(25 %\)$/ }).waitFor();
  await came.getByText(/By the ledger; 67 % of the energy was measured, the rest is estimated\./).waitFor();
  const chart = came.getByRole('img', { name: /Power of the reservation over time/ });
  expect(await chart.locator('.line.estimated').getAttribute('d')).not.toBe('');
  const box = await chart.boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
  await came.getByText(/W measured · .* expected on average/).waitFor();
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
  await came.getByText(/W by estimate · /).waitFor();
  expect(faults).toEqual([]);
});

test('a reservation is cancelled on its page, which says so', async () => {
  const request = { nodes: 2, duration_s: 3600, earliest_start: made.reservation.end, latest_start: made.reservation.end };
  const { id } = await service.call<{ id: string }>('POST', 'reservations', { ...request, note: 'to be cancelled' });
  const { page } = await visit(`#/reservations/${id}`);
  await page.getByRole('button', { name: 'Book', exact: true }).first().click();
  await page.getByText('Booked: the nodes are yours.').waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, cancel it' }).click();
  await page.getByText('Cancelled: its nodes are free again.').waitFor();
  await region(page, 'History').getByText(/local cancelled it/).waitFor();
});

test('outages lead to a node, which tells what is known of it', async () => {
  const link = (page: Page) => region(page, 'Out of service').getByRole('link', { name: made.node, exact: true });
  await follows('#/nodes?tab=outages', link, `#/nodes/${made.node}`, `Node ${made.node}`);

  const { page } = await visit(`#/nodes/${made.node}`);
  await region(page, 'Out of service').getByText('new power supplies').waitFor();
  await page.getByText(/^Measured power/).first().waitFor();
  await region(page, 'Calibration').getByText(/its powers are those/).waitFor();
  await page.getByRole('row').filter({ hasText: 'local' }).getByRole('link').first().click();
  await heading(page, 'Reservation of 4 nodes for 2 h').waitFor();
});

test('the schedule leads to reservations and nodes', async () => {
  const { page } = await visit('#/schedule');
  const row = page.getByRole('row').filter({ hasText: made.node }).filter({ hasText: 'local' });
  await row.getByRole('link', { name: / to / }).first().click();
  await heading(page, 'Reservation of 4 nodes for 2 h').waitFor();
});

test('simulations lead to each, with its results', async () => {
  const link = (page: Page) => page.getByRole('link', { name: 'What waiting saves' });
  const page = await follows('#/simulate', link, `#/simulate/${made.simulation}`, 'Simulation: What waiting saves');
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  await page.getByText('Charts: means over the requests so far').click();
  await page.getByRole('img', { name: /Mean cost of a reservation/ }).waitFor();
  await page.getByRole('link', { name: 'Compare it with others' }).click();
  await expect.poll(() => page.getByRole('checkbox', { name: /^What waiting saves/ }).isChecked()).toBe(true);
});

test('a simulation is removed on its page, which leads back to the list', async () => {
  const { id } = await service.call<{ id: string }>('POST', 'simulations', { name: 'For a moment', parameters: { nodes: 20, requests: 5, runs: 1 } });
  const { page } = await visit(`#/simulate/${id}`);
  await page.getByRole('heading', { name: 'Finished' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Yes, remove it' }).click();
  await heading(page, 'Simulate').waitFor();
  expect(hash(page)).toBe('#/simulate');
});

test('feeds lead to each source, with what comes of it', async () => {
  const link = (page: Page) => region(page, 'Feeds').getByRole('listitem').getByRole('link', { name: made.source, exact: true });
  const page = await follows('#/grid', link, `#/grid/sources/${made.source}`, `Source ${made.source}`);
  await region(page, 'What comes of it').getByRole('img', { name: /from this source/ }).waitFor();
  await region(page, 'What it said').getByText(/piece/).first().waitFor();
  await page.getByRole('button', { name: 'Ask now' }).click();
  await page.getByText(/^It will be asked /).waitFor();
});

test('the dialogue leads to a negotiation, which leads to who asks, and is answered there', async () => {
  const link = (page: Page) => page.getByRole('link', { name: /^Its page: Extra power/ });
  const page = await follows('#/grid', link, `#/grid/negotiations/${made.negotiation}`, 'Negotiation: Extra power');
  await region(page, 'For whom').getByRole('link', { name: made.asker }).click();
  await heading(page, 'Reservation of 30 nodes for 2 h').waitFor();
  await region(page, 'Connected with it').getByRole('link', { name: /^extra power, asked/ }).click();
  await page.getByText(/We need more power than the cap leaves/).waitFor();
  expect(await page.getByRole('button', { name: 'Grant all of it' }).isEnabled()).toBe(true);
});

test('who asks for what there is not, is told so and led out', async () => {
  const unknown: [string, string][] = [
    ['#/reservations/0199a2c4-7f00-7000-8000-000000000001', 'My reservations'],
    ['#/reservations/r1', 'My reservations'],
    ['#/nodes/no%20such%2Fnode', 'Nodes'],
    ['#/simulate/s1', 'Simulate'],
    ['#/grid/sources/nobody', 'Grid'],
    ['#/grid/negotiations/n1', 'Grid'],
  ];
  for (const [place, out] of unknown) {
    const { page, faults } = await visit(place);
    await page.getByText(/There is none of this name, or it is not yours to see/).waitFor();
    await page.getByRole('link', { name: `Go to ${out}` }).click();
    await heading(page, out).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  }
});

for (const width of WIDTHS) {
  test(`no two texts collide at ${width} pixels, and nothing is scrolled sideways`, async () => {
    const { page } = await visit('', { viewport: { width, height: 900 } });
    const found: Record<string, unknown> = {};
    const look = async (name: string) => {
      const pairs = await overlaps(page);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (pairs.length > 0 || wide > 0) found[name] = [pairs, wide];
    };
    for (const [name, [place, ready]] of Object.entries(placesOf(made))) {
      await page.goto(`${service.url}${place}`);
      await page.getByText(ready).first().waitFor();
      await look(name);
    }
    await inSlurm(page, made.reservation);
    await page.goto(`${service.url}#/reservations/${made.reservation.id}`);
    await page.getByText('How to use it').waitFor();
    await look('in Slurm');
    await page.goto(`${service.url}#/nodes/unknown`);
    await page.getByText('There is none of this name').waitFor();
    await look('unknown');
    expect(found).toEqual({});
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`each page can be used by everybody, ${colorScheme}`, async () => {
    const { page } = await visit('', { colorScheme, bypassCSP: true });
    await inSlurm(page, made.reservation);
    for (const [name, [place, ready]] of Object.entries({ ...placesOf(made), unknown: ['#/nodes/unknown', 'There is none of this name'] as const })) {
      await page.goto(`${service.url}${place}`);
      await page.getByText(ready).first().waitFor();
      expect([name, await violations(page)]).toEqual([name, []]);
    }
  });
}
