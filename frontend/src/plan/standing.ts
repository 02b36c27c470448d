// What an offer would do to one's standing, in words.

import type { OfferStandingDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { fixed } from '../units/format';

/** As many digits as tell two factors apart, three at least. */
export function standingWords({ factor, factor_after }: OfferStandingDocument): string {
  const texts = language.texts.plan.standing;
  const digits = [3, 4, 5, 6].find((it) => factor.toFixed(it) !== factor_after.toFixed(it));
  if (digits === undefined) return texts.stays(fixed(factor, 3));
  return texts.changes(fixed(factor_after, digits), fixed(factor, digits));
}
