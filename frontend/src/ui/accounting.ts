// How figures of CO₂ are counted, in words beside their unit.

import type { Co2AccountingDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { carbon } from '../units/format';

type Counted = Co2AccountingDocument | null | undefined;

/** `average, direct`; empty where it is not known. */
export function accountingWords(counted: Counted): string {
  if (!counted) return '';
  const words: Record<string, string> = language.texts.ui.co2.words;
  const said = counted.factors ? [counted.accounting, counted.factors] : [counted.accounting];
  return said.map((word) => words[word] ?? word).join(', ');
}

/** A name of a figure with how it is counted: `CO₂, average, direct`; the name alone where that is not known. */
export function countedName(name: string, counted: Counted): string {
  const words = accountingWords(counted);
  return words === '' ? name : language.texts.ui.co2.named(name, words);
}

/** What an offer emits as nobody plans by it: `CO₂, marginal, direct: 120 g`; empty where it is not known. */
export function otherCo2Words(offer: { other_co2_g?: number | null }, counted: Counted): string {
  if (offer.other_co2_g == null || !counted) return '';
  const { name, figure } = language.texts.ui.co2;
  return figure(countedName(name, counted), carbon(offer.other_co2_g));
}
