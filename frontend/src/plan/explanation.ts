// A decision explained: why starts are excluded, why offers are not earlier, what more waiting would bring.

import { said } from '../api/said';
import type { DecisionDocument, LearntUtilisationDocument, OfferDocument, ReasonDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { length, span, when, type Clock } from '../time/words';
import { LETTERS } from '../ui/offers';
import { quotaReason } from '../ui/quota';
import { carbon, energy, money, power, rounded } from '../units/format';

/** The text of a key of the service, or the one for all others. */
const textOf = (texts: Readonly<Record<string, string>> & { other: string }, key: string) => texts[key] ?? texts.other;

/** Where the utilisation comes from that offers were planned with. */
export function learntWords({ application, utilisation, runs }: LearntUtilisationDocument): string {
  return language.texts.plan.explanation.learnt(rounded(Math.round(utilisation * 1000) / 10), runs, application);
}

/** What a reason means, with the times of the zone that people look at. */
export function reasonWords(reason: ReasonDocument, { now, zone }: Clock): string {
  const texts = language.texts.plan.explanation;
  const { binding, excluded_starts: starts } = reason;
  const during = span(Date.parse(binding.start), Date.parse(binding.end), now, zone);
  if (binding.slot_after != null) {
    const [before, after] = [binding.slot_before, binding.slot_after].map((it) => (it == null ? '' : when(Date.parse(it), now, zone)));
    return texts.noSlot(length(Number(binding.slot_s) * 1000), before ?? '', after ?? '');
  }
  if (binding.missing_nodes != null) return texts.missingNodes(starts, binding.missing_nodes, during);
  if (binding.missing_power_w != null) return texts.missingPower(starts, power(binding.missing_power_w), during);
  if (binding.missing_agenda != null) return texts.missingAgenda(textOf(texts.unknown, binding.missing_agenda), starts, during);
  return reason.code === 'quota' ? quotaReason(reason.detail, { now, zone }) : said(reason.detail);
}

/** What can be done where a reason binds. */
export const wayOut = ({ code }: ReasonDocument): string => textOf(language.texts.plan.explanation.waysOut, code);

/** Whether more power would help: the cap is among what binds. */
export const capBinds = (decision: DecisionDocument) =>
  decision.reasons.some(({ binding }) => binding.missing_power_w != null);

/** What of its values is more where the first start possible is taken instead of an offer. */
function moreThan(offer: OfferDocument, first: OfferDocument): string[] {
  const texts = language.texts.plan.explanation;
  const parts: string[] = [];
  const { cost, co2_g, energy_j } = offer.saves;
  const matters = (saved: number, of: number) => saved > Math.abs(of) * 5e-4;
  if (matters(cost, first.cost)) parts.push(texts.moreCost(money(cost, offer.currency)));
  if (matters(co2_g, first.co2_g)) parts.push(texts.moreCo2(carbon(co2_g)));
  if (matters(energy_j, first.energy_j)) parts.push(texts.moreEnergy(energy(energy_j)));
  return parts;
}

/** One sentence for each thing that keeps offers from being earlier. */
export function whyNotEarlier(decision: DecisionDocument, earliest: number, clock: Clock): string[] {
  const texts = language.texts.plan.explanation;
  const sentences: string[] = [];
  const first = decision.as_soon_as_possible;
  if (!first) return sentences;
  const begin = Date.parse(first.start);
  if (begin - earliest >= 15 * 60_000) {
    const before = decision.reasons.map((reason) => reasonWords(reason, clock));
    sentences.push(texts.nothingBefore(when(begin, clock.now, clock.zone)), ...before);
  }
  decision.offers.forEach((offer, index) => {
    const start = Date.parse(offer.start);
    const name = LETTERS[index] ?? '';
    if (start <= begin) {
      sentences.push(texts.isFirst(name));
      return;
    }
    sentences.push(texts.waits(name, length(start - begin), when(begin, clock.now, clock.zone), moreThan(offer, first)));
  });
  return sentences;
}

/** What one more hour of waiting would bring, for the cheapest and the cleanest. */
export function oneMoreHour(decision: DecisionDocument): string[] {
  const texts = language.texts.plan.explanation;
  const sentences: string[] = [];
  for (const ranking of decision.explanation?.rankings ?? []) {
    const saves = ranking.one_more_hour_saves;
    const best = ranking.best;
    if (!saves || !best) continue;
    if (ranking.ranking === 'cost_co2_energy' && saves.cost > best.cost * 5e-4) {
      sentences.push(texts.hourCheaper(money(saves.cost, best.currency)));
    }
    if (ranking.ranking === 'co2_cost_energy' && saves.co2_g > best.co2_g * 5e-4) {
      sentences.push(texts.hourCleaner(carbon(saves.co2_g)));
    }
  }
  if (sentences.length === 0 && decision.explanation) {
    sentences.push(texts.hourNothing);
  }
  return sentences;
}
