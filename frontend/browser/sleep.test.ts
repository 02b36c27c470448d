// Sleeps of idle nodes, proposed by the service and decided on by an operator.

import { expect, test } from 'vitest';

import { machines } from './machines';
import { tour } from './tour';

const { settings, orders, breakAll } = machines();
const { service, visit } = tour({ settings });

test('a sleep is approved, and another refused with a reason', async () => {
  const { page, faults } = await visit('#/nodes?tab=switching');
  const section = page.getByRole('region', { name: 'Switched to save energy' });
  await section.getByText(/2 sleeps wait for approval and would save .*kWh/).waitFor();
  await page.getByRole('link', { name: 'Overview, 1 thing needs somebody' }).waitFor();
  const row = (place: number) => section.locator('tbody tr').nth(place);
  const node = (await row(0).locator('td').first().textContent()) ?? '';
  const other = (await row(1).locator('td').first().textContent()) ?? '';
  await section.getByRole('button', { name: `Approve for ${node}` }).click();
  await section.getByText(/1 sleep waits for approval/).waitFor();
  await section.getByRole('button', { name: `Refuse for ${other}` }).click();
  await section.getByLabel('Why not').fill('its fans are loud');
  await section.getByRole('button', { name: 'Refuse it' }).click();
  await section.getByText(new RegExp(`^${other} stays on until`)).waitFor();
  await expect.poll(orders, { timeout: 20_000 }).toBe(`off ${node}\n`);
  const log = await service.call<{ entries: { what: string; because: string | null }[] }>('GET', `power-actions/log?node=${other}`);
  expect(log.entries.find((it) => it.what === 'refused')?.because).toBe('its fans are loud');

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByText('Nothing needs you now.').waitFor();
  await page.getByText(/^node sleeps/).waitFor({ timeout: 20_000 });

  // What was switched off is asleep in the table, once it was seen to be off.
  await page.goto(`${service.url}#/nodes?state=asleep`);
  await page.getByRole('row').filter({ hasText: node }).getByText('Asleep').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await page.goto(`${service.url}#/nodes/${node}`);
  await page.getByRole('cell', { name: 'Approved: switching off' }).waitFor();
  expect(faults).toEqual([]);
}, 60_000);

test('a node that does not come back is told on the overview, with where and why', { timeout: 120_000 }, async () => {
  const { page, faults } = await visit('#/overview');
  await page.getByText(/^node sleeps/).waitFor();
  const node = orders().replace(/^off (\S+)\n$/, '$1');
  breakAll();
  await service.call('POST', 'power-actions', { action: 'wake', nodes: [node] });
  const need = page.getByRole('region', { name: 'Needs somebody' }).getByRole('listitem');
  await need.getByText(/^1 node is out of service: it did not switch on/).waitFor({ timeout: 90_000 });
  await need.getByText(node, { exact: true }).waitFor();
  await need.getByRole('link', { name: /^Nodes/ }).click();
  await page.getByRole('region', { name: 'Out of service' }).getByText(/it did not switch on/).waitFor();
  expect(faults).toEqual([]);
});

test('nodes are woken, kept on and switched off by hand', async () => {
  const { page, faults } = await visit('#/nodes?tab=switching');
  const form = page.getByRole('form', { name: 'Switch nodes' });
  await form.getByLabel('Nodes').fill('aube-[1-2');
  await form.getByRole('button', { name: 'Switch them off' }).click();
  await form.getByText('A bracket is not closed.').waitFor();
  await form.getByLabel('Nodes').fill('aube-[1-2]');
  await form.getByLabel('What to do').selectOption('hold');
  await form.getByLabel('For how long').fill('2h');
  await form.getByRole('button', { name: 'Keep them on' }).click();
  await page.getByText(/^Kept on: 2 nodes until/).waitFor();
  const holds = async () => (await service.call<{ holds: { node: string }[] }>('GET', 'power-actions')).holds.map((it) => it.node);
  expect((await holds()).sort()).toEqual(['aube-1', 'aube-2']);
  for (const node of ['aube-1', 'aube-2']) {
    await page.getByRole('button', { name: `End the hold of ${node}` }).click();
    await page.getByText(`${node} may be switched off again.`).waitFor();
  }
  expect(await holds()).toEqual([]);

  // A node that nothing switches is refused, with what to do.
  await form.getByLabel('Nodes').fill('aube-9');
  await form.getByLabel('What to do').selectOption('off');
  await form.getByRole('button', { name: 'Switch them off' }).click();
  await form.getByRole('button', { name: 'Yes, switch off' }).click();
  await form.getByRole('alert').getByText(/nothing says how these nodes are switched: aube-9/).waitFor();
  await form.getByLabel('Nodes').fill('aube-1');
  await form.getByLabel('What to do').selectOption('wake');
  await form.getByRole('button', { name: 'Wake them' }).click();
  await page.getByText(/^Asked for: aube-1 to be woken/).waitFor();
  expect(await holds()).toEqual(['aube-1']);
  expect(faults).toEqual([]);
}, 60_000);
