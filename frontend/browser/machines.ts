// Nodes that are switched by a program: what each of them is stands in a file, and so does every order.

import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Machines {
  /** The settings by which the service switches the first two nodes, once somebody approves. */
  settings: string;
  /** Every order so far, a line each. */
  orders(): string;
  /** From now on no order has an effect. */
  breakAll(): void;
}

export function machines(): Machines {
  const folder = mkdtempSync(join(tmpdir(), 'wattbook-machines-'));
  const program = join(folder, 'switch');
  const orders = join(folder, 'orders');
  const broken = join(folder, 'broken');
  writeFileSync(orders, '');
  writeFileSync(
    program,
    `#!/bin/sh
verb=$1
shift
for node; do
  case $verb in
  state) echo "$node: $(cat '${folder}'/"$node" 2>/dev/null || echo on)" ;;
  *) [ -e '${broken}' ] || echo "$verb" >'${folder}'/"$node"
    echo "$verb $node" >>'${orders}'; echo "$node: ok" ;;
  esac
done
`,
  );
  chmodSync(program, 0o700);
  const settings = `
[power]
every_s = 1
horizon_h = 12
rank_by = ["energy"]
most_orders = 1
first_wait_s = 1
driver = { kind = "command", program = "${program}" }
[[power.switching]]
node_ranges = [[0, 1]]
off_power_w = 10
switching_off_s = 1
switching_off_power_w = 90
switching_on_s = 2
switching_on_power_w = 120
boot_s = 2
[[power.rights]]
node_ranges = [[0, 1]]
level = "with_approval"
actions = ["off"]
`;
  return { settings, orders: () => readFileSync(orders, 'utf8'), breakAll: () => writeFileSync(broken, '') };
}
