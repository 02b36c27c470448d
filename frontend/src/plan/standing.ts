// What an offer would do to one's standing, in words.

import type { OfferStandingDocument } from '../api/schema';
import { language } from '../texts/language.svelte';

/** A factor with so many digits after its point. */
export const factorText = (factor: number, digits: number) =>
  factor.toLocaleString(language.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** As many digits as tell two factors apart, three at least. */
export function standingWords({ factor, factor_after }: OfferStandingDocument): string {
  const texts = language.texts.plan.standing;
  const digits = [3, 4, 5, 6].find((it) => factor.toFixed(it) !== factor_after.toFixed(it));
  if (digits === undefined) return texts.stays(factorText(factor, 3));
  return texts.changes(factorText(factor_after, digits), factorText(factor, digits));
}
