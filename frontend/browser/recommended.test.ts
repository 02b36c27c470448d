// The plan leads with one start, says why, and has "now" beside it.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { tour } from './tour';

const { service, visit } = tour();

interface Offer {
  start: string;
  end: string;
  cost: number;
}
interface Decision {
  offers: Offer[];
  pareto: Offer[];
  compromise: Offer;
  as_soon_as_possible: Offer;
}

interface Request {
  nodes: number;
  duration_s: number;
}

/** Whether what is recommended is the best by no ranking, and not the earliest start. */
function winsNone({ offers, compromise, as_soon_as_possible: now }: Decision): boolean {
  return compromise && ![...(offers ?? []), now].map((it) => it?.start).includes(compromise.start);
}

/** Fills the form in, and gives what the service answers to it. */
async function decided(page: Page, nodes: number, hours: number): Promise<{ asked: Request; decision: Decision }> {
  const asks = (it: Request) => it.nodes === nodes && it.duration_s === hours * 3600;
  const quoted = page.waitForResponse((it) => it.url().endsWith('/api/v1/quotes') && asks(it.request().postDataJSON() as Request));
  await page.getByLabel('For how long').fill(`${hours}h`);
  await page.getByLabel('Nodes', { exact: true }).fill(`${nodes}`);
  const answer = await quoted;
  return { asked: answer.request().postDataJSON() as Request, decision: (await answer.json()) as Decision };
}

/**
 * Fills in a request for which what is recommended wins no ranking. Which those are depends on the time of day, so the service is
 * asked first, for ever more nodes and longer.
 */
async function anotherRecommended(page: Page): Promise<Decision> {
  const { asked } = await decided(page, 5, 3);
  for (const hours of [2, 3, 4, 6, 8, 12, 1, 5, 10, 16, 24]) {
    for (let nodes = 5; nodes < 44; nodes += 1) {
      const request = { ...asked, nodes, duration_s: hours * 3600 };
      if (!winsNone(await service.call<Decision>('POST', 'quotes', request))) continue;
      const { decision } = await decided(page, nodes, hours);
      if (!winsNone(decision)) continue;
      await page.getByText(`${nodes} nodes,`).first().waitFor();
      return decision;
    }
  }
  throw new Error('what is recommended is the best by some ranking whatever is asked for');
}

test('what the service recommends stands first, with why, and now is beside it', async () => {
  const { page, faults } = await visit();
  const quoted = page.waitForResponse(
    (it) => it.url().endsWith('/api/v1/quotes') && (it.request().postDataJSON() as { nodes: number }).nodes === 6,
  );
  await page.getByLabel('Nodes', { exact: true }).fill('6');
  const { compromise, as_soon_as_possible: now } = (await (await quoted).json()) as Decision;
  await page.getByText('6 nodes,').first().waitFor();
  const first = page.getByRole('article').first();
  await first.getByRole('heading', { name: /Recommended/ }).waitFor();
  await first.getByText('of all starts it gives up least of what is best in cost, CO₂, energy and waiting.').waitFor();
  await first.getByTitle(new RegExp(`^${compromise.cost} EUR`)).waitFor();
  if (now.start !== compromise.start) {
    await page.getByRole('article').nth(1).getByTitle(new RegExp(`^${now.cost} EUR`)).waitFor();
  }
  expect(faults).toEqual([]);
});

test('a recommendation that wins no ranking can be booked, as it was shown', async () => {
  const { page, faults } = await visit();
  const { compromise } = await anotherRecommended(page);
  await page.getByRole('article').first().getByRole('button', { name: /^Book / }).click();
  await page.getByRole('heading', { name: 'Booked' }).waitFor();
  const { items } = await service.call<{ items: { owner: string; start: string; state: string }[] }>('GET', 'reservations?state=confirmed&limit=1000');
  expect(items.filter((it) => it.owner === 'local').map((it) => it.start)).toEqual([compromise.start]);
  expect(faults).toEqual([]);
});
