// Sleeps of idle nodes, proposed by the service and decided on by an operator.

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { tour } from './tour';

const folder = mkdtempSync(join(tmpdir(), 'wattbook-machines-'));
const program = join(folder, 'switch');
// What each node is stands in a file, and so does every order.
writeFileSync(
  program,
  `#!/bin/sh
verb=$1
shift
for node; do
  case $verb in
  state) echo "$node: $(cat '${folder}'/"$node" 2>/dev/null || echo on)" ;;
  *) echo "$verb" >'${folder}'/"$node"; echo "$verb $node" >>'${folder}/orders'; echo "$node: ok" ;;
  esac
done
`,
);
chmodSync(program, 0o700);

const { visit } = tour({
  settings: `
[power]
every_s = 1
horizon_h = 12
rank_by = ["energy"]
driver = { kind = "command", program = "${program}" }
[[power.switching]]
node_ranges = [[0, 1]]
off_power_w = 10
switching_off_s = 1
switching_off_power_w = 90
switching_on_s = 2
switching_on_power_w = 120
[[power.rights]]
node_ranges = [[0, 1]]
level = "with_approval"
actions = ["off"]
`,
});

test('a sleep is approved, and another refused', async () => {
  const { page, faults } = await visit('#/nodes');
  const section = page.getByRole('region', { name: 'Switched to save energy' });
  await section.getByText(/2 sleeps wait for approval and would save .*kWh/).waitFor();
  const row = (place: number) => section.locator('tbody tr').nth(place);
  const node = (await row(0).locator('td').first().textContent()) ?? '';
  const other = (await row(1).locator('td').first().textContent()) ?? '';
  await section.getByRole('button', { name: `Approve for ${node}` }).click();
  await section.getByText(/1 sleep waits for approval/).waitFor();
  await section.getByRole('button', { name: `Refuse for ${other}` }).click();
  await section.getByText(new RegExp(`^${other} stays on until`)).waitFor();
  await expect.poll(() => readFileSync(join(folder, 'orders'), 'utf8'), { timeout: 20_000 }).toBe(`off ${node}\n`);
  expect(faults).toEqual([]);
}, 60_000);
