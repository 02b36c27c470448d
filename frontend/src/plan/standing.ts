// What an offer would do to one's standing, in words.

import type { OfferStandingDocument } from '../api/schema';

/** As many digits as tell two factors apart, three at least. */
export function standingWords({ factor, factor_after }: OfferStandingDocument): string {
  const digits = [3, 4, 5, 6].find((it) => factor.toFixed(it) !== factor_after.toFixed(it));
  if (digits === undefined) return `Standing: stays ${factor.toFixed(3)}`;
  return `Standing: ${factor_after.toFixed(digits)} after it, ${factor.toFixed(digits)} now`;
}
