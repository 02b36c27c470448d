// A decision explained: why starts are excluded, why offers are not earlier, what more waiting would bring.

import type { DecisionDocument, LearntUtilisationDocument, OfferDocument, ReasonDocument } from '../api/schema';
import { length, span, when, type Clock } from '../time/words';
import { LETTERS } from '../ui/offers';
import { quotaReason } from '../ui/quota';
import { carbon, count, energy, money, power } from '../units/format';

const AGENDAS: Record<string, string> = {
  price: 'No price is known',
  co2: 'No CO₂ intensity is known',
  power_cap: 'No power cap is known',
};

/** Where the utilisation comes from that offers were planned with. */
export function learntWords({ application, utilisation, runs }: LearntUtilisationDocument): string {
  const percent = Math.round(utilisation * 1000) / 10;
  return `Expected with a utilisation of ${percent} %, as ${count(runs, 'earlier run')} of ${application} had it.`;
}

/** What a reason means, with the times of the zone that people look at. */
export function reasonWords(reason: ReasonDocument, { now, zone }: Clock): string {
  const { binding, excluded_starts } = reason;
  const [start, end] = [Date.parse(binding.start), Date.parse(binding.end)];
  const during = span(start, end, now, zone);
  const starts = count(excluded_starts, 'start');
  if (binding.missing_nodes != null) {
    return `Not enough free nodes at ${starts}. Where it came closest, ${count(binding.missing_nodes, 'node')} were missing, ${during}.`
      .replace('1 node were', '1 node was');
  }
  if (binding.missing_power_w != null) {
    return `The power cap is too low at ${starts}. Where it came closest, ${power(binding.missing_power_w)} was missing, ${during}.`;
  }
  if (binding.missing_agenda != null) {
    return `${AGENDAS[binding.missing_agenda] ?? 'Something is unknown'} for ${starts}: there is none ${during}.`;
  }
  return reason.code === 'quota' ? quotaReason(reason.detail, { now, zone }) : reason.detail;
}

const WAYS_OUT: Record<string, string> = {
  nodes: 'Ask for fewer nodes, or let it wait until more are free.',
  power_cap: 'Ask for fewer nodes, let it wait for a higher cap, or ask the supplier for more power.',
  agenda_gap: 'Choose a time for which it is known, or ask the site to publish it.',
  quota: 'Give back what you hold and do not need, ask for less, or choose another time.',
};

/** What can be done where a reason binds. */
export const wayOut = ({ code }: ReasonDocument): string => WAYS_OUT[code] ?? 'Ask for less, or choose another time.';

/** Whether more power would help: the cap is among what binds. */
export const capBinds = (decision: DecisionDocument) =>
  decision.reasons.some(({ binding }) => binding.missing_power_w != null);

/** What of its values is more where the first start possible is taken instead of an offer. */
function moreThan(offer: OfferDocument, first: OfferDocument): string[] {
  const parts: string[] = [];
  const { cost, co2_g, energy_j } = offer.saves;
  const matters = (saved: number, of: number) => saved > Math.abs(of) * 5e-4;
  if (matters(cost, first.cost)) parts.push(`${money(cost, offer.currency)} more`);
  if (matters(co2_g, first.co2_g)) parts.push(`${carbon(co2_g)} CO₂ more`);
  if (matters(energy_j, first.energy_j)) parts.push(`${energy(energy_j)} more`);
  return parts;
}

/** One sentence for each thing that keeps offers from being earlier. */
export function whyNotEarlier(decision: DecisionDocument, earliest: number, clock: Clock): string[] {
  const sentences: string[] = [];
  const first = decision.as_soon_as_possible;
  if (!first) return sentences;
  const begin = Date.parse(first.start);
  if (begin - earliest >= 15 * 60_000) {
    const before = decision.reasons.map((reason) => reasonWords(reason, clock));
    sentences.push(`Nothing can start before ${when(begin, clock.now, clock.zone)}.`, ...before);
  }
  decision.offers.forEach((offer, index) => {
    const start = Date.parse(offer.start);
    const name = LETTERS[index] ?? '';
    if (start <= begin) {
      sentences.push(`${name} is the first start possible.`);
      return;
    }
    const parts = moreThan(offer, first);
    const more = parts.length > 0 ? parts.join(' and ') : 'no less of anything';
    sentences.push(
      `${name} waits ${length(start - begin)}: starting ${when(begin, clock.now, clock.zone)} would take ${more}.`,
    );
  });
  return sentences;
}

/** What one more hour of waiting would bring, for the cheapest and the cleanest. */
export function oneMoreHour(decision: DecisionDocument): string[] {
  const sentences: string[] = [];
  for (const ranking of decision.explanation?.rankings ?? []) {
    const saves = ranking.one_more_hour_saves;
    const best = ranking.best;
    if (!saves || !best) continue;
    if (ranking.ranking === 'cost_co2_energy' && saves.cost > best.cost * 5e-4) {
      sentences.push(`An hour more of waiting would make the cheapest ${money(saves.cost, best.currency)} cheaper.`);
    }
    if (ranking.ranking === 'co2_cost_energy' && saves.co2_g > best.co2_g * 5e-4) {
      sentences.push(`An hour more of waiting would save the cleanest another ${carbon(saves.co2_g)} of CO₂.`);
    }
  }
  if (sentences.length === 0 && decision.explanation) {
    sentences.push('An hour more of waiting would make nothing cheaper or cleaner.');
  }
  return sentences;
}
