// Quotas that an operator adjusts on the page; whom it concerns sees why and until when, and is offered none of it.

import { beforeAll, expect, test } from 'vitest';

import { violations } from './axe';
import { hours, tour } from './tour';

const SETTINGS = `
[[quotas.rules.default]]
user = "/"
nodes = 4
`;

interface Adjustment {
  user: string;
  nodes: string;
  reason: string;
}

// The demonstration's own reservations are above these quotas, and booked before them.
const { service, visit } = tour({
  begin: async (service) => {
    await service.start({ settings: '' });
    await service.kill();
    await service.start();
  },
  settings: SETTINGS,
});
const tokens = { ada: '', grace: '' };

beforeAll(() => {
  tokens.ada = service.token('ada');
  tokens.grace = service.token('grace', 'operator');
});

async function signedIn(name: keyof typeof tokens, options = {}) {
  const watched = await visit('#/account', options);
  await watched.page.getByLabel('Token').fill(tokens[name]);
  await watched.page.getByRole('button', { name: 'Sign in' }).click();
  return watched;
}
const adjustments = async (query = '') =>
  (await service.call<{ items: Adjustment[] }>('GET', `quotas/adjustments${query}`, undefined, tokens.grace)).items;

test('an operator lets a user have more for a time, and ends it', async () => {
  const { page, faults } = await signedIn('grace', { bypassCSP: true });
  const card = page.getByRole('region', { name: 'Quota adjustments' });
  await card.getByText('No quota is adjusted.').waitFor();
  await card.getByText('Adjust a quota').click();
  await card.getByLabel('User').fill('ada');
  await card.getByRole('button', { name: 'Adjust it' }).click();
  await card.getByText('A number such as 36, a part of all nodes such as 0.5*ALL, or -1.').waitFor();
  await card.getByLabel('At most').fill('6');
  await card.getByLabel('Why').fill('a paper is due');
  const until = new Date(Date.parse(hours(5))).toLocaleString('sv', { timeZone: 'Europe/Paris' }).replace(' ', 'T').slice(0, 16);
  await card.getByLabel('Until').fill(until);
  await card.getByRole('button', { name: 'Adjust it' }).click();
  await card.getByText(/^Adjusted for the user ada: 6 nodes, /).waitFor();
  await card.getByRole('list', { name: 'Quota adjustments that have yet to end' }).getByText('a paper is due').waitFor();
  expect((await adjustments()).map(({ user, nodes, reason }) => [user, nodes, reason])).toEqual([['ada', '6', 'a paper is due']]);
  expect(await violations(page)).toEqual([]);

  const ada = await signedIn('ada');
  const mine = ada.page.getByRole('region', { name: 'My quotas' });
  await mine.getByText(/0 nodes of 6 nodes; adjusted by an operator, now\./).waitFor();
  await mine.getByText(/In force until .*: a paper is due/).waitFor();
  expect(await ada.page.getByText('grace').count()).toBe(0);
  expect(await ada.page.getByRole('region', { name: 'Quota adjustments' }).count()).toBe(0);

  await card.getByRole('button', { name: 'End it for the user ada' }).click();
  await card.getByRole('button', { name: 'Yes, end it' }).click();
  await card.getByText('It has ended: the rules of the settings count again.').waitFor();
  await card.getByText('No quota is adjusted.').waitFor();
  expect([await adjustments(), (await adjustments('?ended=true')).length]).toEqual([[], 1]);
  await mine.getByText(/0 nodes of 4 nodes; the rule default/).waitFor();
  expect([...faults, ...ada.faults]).toEqual([]);
});
