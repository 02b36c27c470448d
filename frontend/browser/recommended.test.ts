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

/** Asks for ever more nodes until what is recommended wins no ranking, as the decision then is. */
async function anotherRecommended(page: Page): Promise<Decision> {
  for (let nodes = 5; nodes < 44; nodes += 1) {
    const quoted = page.waitForResponse(
      (it) => it.url().endsWith('/api/v1/quotes') && (it.request().postDataJSON() as { nodes: number }).nodes === nodes,
    );
    await page.getByLabel('Nodes', { exact: true }).fill(`${nodes}`);
    const decision = (await (await quoted).json()) as Decision;
    const known = [...(decision.offers ?? []), decision.as_soon_as_possible].map((it) => it?.start);
    if (decision.compromise && !known.includes(decision.compromise.start)) {
      await page.getByText(`${nodes} nodes,`).first().waitFor();
      return decision;
    }
  }
  throw new Error('what is recommended is the best by some ranking however many nodes are asked for');
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
