// What a simulation answers, in one or two sentences.

import { length } from '../time/words';
import { carbon, energy, money, percent, rounded } from '../units/format';
import { policyName, type PolicySummary, type SameRequests, type Simulation, type Summary } from './results';

type Criterion = 'cost' | 'co2_g';

const requestsOf = (number: number) => `${rounded(number, 4)} ${number === 1 ? 'request' : 'requests'}`;

/** `12 % less (95 % interval: 10 % to 14 %)`; negative savings are more. */
function change(same: SameRequests, key: Criterion): string {
  const [share, ends] = [same.saved[key], same.saved_ci95[key]];
  if (share === null) return 'an amount that is not known';
  const interval = ends ? ` (95 % interval: ${percent(ends[0])} to ${percent(ends[1])} saved)` : '';
  return `${percent(Math.abs(share))} ${share >= 0 ? 'less' : 'more'}${interval}`;
}

interface Compared {
  policy: string;
  found: PolicySummary;
  same: SameRequests;
}

/** Policies that are compared with starting as soon as possible. */
function compared(summary: Summary): Compared[] {
  return Object.entries(summary.policies).flatMap(([policy, found]) =>
    found.same_requests && !policy.startsWith('asap') ? [{ policy, found, same: found.same_requests }] : [],
  );
}

/** The one that saves most; of equals the first. */
function best(all: readonly Compared[], key: Criterion): Compared | undefined {
  const share = (it: Compared) => it.same.saved[key] ?? -Infinity;
  const known = all.filter((it) => it.same.saved[key] !== null);
  return known.reduce<Compared | undefined>((most, it) => (most && share(most) >= share(it) ? most : it), undefined);
}

const currencyOf = (summary: Summary) => summary.parameters.currency ?? 'EUR';

/** `3.4 MWh, 512 EUR and 86 kg of CO₂` */
function totals({ energy_j, cost, co2_g }: { energy_j: number; cost: number; co2_g: number }, currency: string): string {
  return `${energy(energy_j)}, ${money(cost, currency)} and ${carbon(co2_g)} of CO₂`;
}

/** What requests that are given take in total, and what is saved of it. */
function ofMonth(summary: Summary): string[] {
  const asap = summary.policies.asap_first?.month;
  const most = best(compared(summary), 'cost');
  if (!asap || !most) return [];
  const served = asap.served === asap.requests ? requestsOf(asap.requests) : `${rounded(asap.served, 4)} of ${requestsOf(asap.requests)}`;
  const { policy, same } = most;
  return [
    `As soon as possible, ${served} would have taken ${totals(asap, currencyOf(summary))} in total.`,
    `${policyName(policy)} would have cost ${change(same, 'cost')} and emitted ${change(same, 'co2_g')}, on the same ${requestsOf(same.requests)}.`,
  ];
}

/** Which policy saves most of what. */
function ofPolicies(summary: Summary): string[] {
  const all = compared(summary);
  const [cheap, clean] = [best(all, 'cost'), best(all, 'co2_g')];
  if (!cheap || !clean) return [];
  const wait = ({ found }: Compared) => length(found.start_lag_s * 1000);
  const asap = summary.policies.asap_first;
  const beside = asap ? `, ${length(asap.start_lag_s * 1000)} as soon as possible` : '';
  const both = cheap.policy === clean.policy ? `, and emits ${change(clean.same, 'co2_g')}, the cleanest too` : '';
  return [
    `${policyName(cheap.policy)} is the cheapest: it costs ${change(cheap.same, 'cost')} than as soon as possible${both}. Requests wait ${wait(cheap)} on average${beside}.`,
    ...(both ? [] : [`${policyName(clean.policy)} is the cleanest: it emits ${change(clean.same, 'co2_g')}. Requests wait ${wait(clean)} on average.`]),
  ];
}

/** What becomes of the month under each table of prices beside the first. */
function ofPrices(cells: Simulation['cells'], summaries: readonly Summary[]): string[] {
  const [base] = summaries;
  const before = base?.policies.asap_first?.month;
  const usual = base && best(compared(base), 'cost');
  if (!base || !before || !usual) return [];
  return summaries.slice(1).flatMap((summary, index) => {
    const asap = summary.policies.asap_first?.month;
    const most = best(compared(summary), 'cost');
    if (!asap || !most) return [];
    const currency = currencyOf(summary);
    return [
      `${cellName(cells[index + 1]?.name)}: as soon as possible, the month would have cost ${money(asap.cost, currency)}, not ${money(before.cost, currency)}.`,
      `${policyName(most.policy)} would then have cost ${change(most.same, 'cost')} and emitted ${change(most.same, 'co2_g')}; with the prices as they are ${change(usual.same, 'cost')} and ${change(usual.same, 'co2_g')}.`,
    ];
  });
}

/** `With 100 EUR a tonne of CO₂` of `price_file=with 100 EUR a tonne of CO₂`. */
export function cellName(name = ''): string {
  const text = name.replace(/^price_file=/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The answer, the sentence that says most first; none where nothing can be compared. */
export function answer({ summary, experiment, cells }: Simulation): string[] {
  if (!summary) return [];
  if (!Array.isArray(summary)) return experiment.requests === 'given' ? ofMonth(summary) : ofPolicies(summary);
  return cells.every(({ name }) => /^price_file=[^,]*$/.test(name)) ? ofPrices(cells, summary) : [];
}
