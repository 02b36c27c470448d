// What a simulation answers, in one or two sentences.

import { language } from '../texts/language.svelte';
import { length } from '../time/words';
import { carbon, energy, money, percent, rounded } from '../units/format';
import { policyName, type PolicySummary, type SameRequests, type Simulation, type Summary } from './results';

type Criterion = 'cost' | 'co2_g';

const requestsOf = (number: number) => language.texts.simulate.answer.requests(number, rounded(number, 4));

/** `12 % less (95 % interval: 10 % to 14 %)`; negative savings are more. */
function change(same: SameRequests, key: Criterion): string {
  const [share, ends] = [same.saved[key], same.saved_ci95[key]];
  const texts = language.texts.simulate.answer;
  if (share === null) return key === 'cost' ? texts.unknownCost : texts.unknownCo2;
  const interval = ends ? texts.interval(percent(ends[0]), percent(ends[1])) : '';
  return (share >= 0 ? texts.less : texts.more)(percent(Math.abs(share)), interval);
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

/** What requests that are given take in total, and what is saved of it. */
function ofMonth(summary: Summary): string[] {
  const asap = summary.policies.asap_first?.month;
  const most = best(compared(summary), 'cost');
  if (!asap || !most) return [];
  const texts = language.texts.simulate.answer;
  const all = rounded(asap.requests, 4);
  const served =
    asap.served === asap.requests
      ? texts.requests(asap.requests, all)
      : texts.requestsOf(asap.served, rounded(asap.served, 4), asap.requests, all);
  const { policy, same } = most;
  return [
    texts.month(served, energy(asap.energy_j), money(asap.cost, currencyOf(summary)), carbon(asap.co2_g)),
    texts.monthSaved(policyName(policy), change(same, 'cost'), change(same, 'co2_g'), requestsOf(same.requests)),
  ];
}

/** Which policy saves most of what. */
function ofPolicies(summary: Summary): string[] {
  const all = compared(summary);
  const [cheap, clean] = [best(all, 'cost'), best(all, 'co2_g')];
  if (!cheap || !clean) return [];
  const texts = language.texts.simulate.answer;
  const wait = ({ found }: Compared) => length(found.start_lag_s * 1000);
  const asap = summary.policies.asap_first;
  const [cost, co2] = [change(cheap.same, 'cost'), change(clean.same, 'co2_g')];
  const waits = asap ? texts.waitBeside(wait(cheap), length(asap.start_lag_s * 1000)) : texts.wait(wait(cheap));
  if (cheap.policy === clean.policy) return [`${texts.cheapestAndCleanest(policyName(cheap.policy), cost, co2)} ${waits}`];
  return [
    `${texts.cheapest(policyName(cheap.policy), cost)} ${waits}`,
    `${texts.cleanest(policyName(clean.policy), co2)} ${texts.wait(wait(clean))}`,
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
    const texts = language.texts.simulate.answer;
    const currency = currencyOf(summary);
    return [
      texts.prices(cellName(cells[index + 1]?.name), money(asap.cost, currency), money(before.cost, currency)),
      texts.pricesSaved(
        policyName(most.policy),
        change(most.same, 'cost'), change(most.same, 'co2_g'),
        change(usual.same, 'cost'), change(usual.same, 'co2_g'),
      ),
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
