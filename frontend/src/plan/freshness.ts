// How old, and how good, the data is that an offer rests on, in words.

import type { BasisDocument, OfferDocument } from '../api/schema';
import { exact, length } from '../time/words';
import { STANDING_WORDS } from '../ui/basisWords';

const NAMES: Record<string, string> = { price: 'price', co2: 'CO₂', power_cap: 'cap' };

/** What is not as good as announced. */
const DOUBTFUL = new Set(['last_good', 'forecast', 'safe_mode']);

export interface Freshness {
  quantity: string;
  /** `price 12 min old` */
  words: string;
  /** Source, standing and time. */
  detail: string;
  doubtful: boolean;
}

/** To the minute: what ticks draws eyes. */
const oldWords = (age: number) => (age < 60_000 ? 'just now' : `${length(Math.floor(age / 60_000) * 60_000)} old`);

function ageOf(basis: BasisDocument, now: number): number | null {
  const since = basis.received_at ?? basis.issued_at;
  return since ? Math.max(0, now - Date.parse(since)) : null;
}

/** For each quantity the oldest or most doubtful value that an offer rests on. */
export function freshness(
  offer: OfferDocument,
  basis: readonly BasisDocument[],
  now: number,
  zone: string,
): Freshness[] {
  const rests = offer.basis ? offer.basis.flatMap((at) => basis[at] ?? []) : basis;
  return Object.entries(NAMES).flatMap(([quantity, name]) => {
    const own = rests.filter((it) => it.quantity === quantity);
    const rank = (it: BasisDocument) => (DOUBTFUL.has(it.standing) ? 1e15 : 0) + (ageOf(it, now) ?? 0);
    const worst = [...own].sort((a, b) => rank(b) - rank(a))[0];
    if (!worst) return [];
    const age = ageOf(worst, now);
    const doubtful = DOUBTFUL.has(worst.standing);
    const standing = STANDING_WORDS[worst.standing] ?? worst.standing;
    const words = doubtful ? `${name}: ${standing}` : `${name} ${age === null ? standing : oldWords(age)}`;
    const from = worst.source === '' ? '' : ` from ${worst.source}`;
    const when = worst.received_at ? `, received ${exact(Date.parse(worst.received_at), zone)}` : '';
    return [{ quantity, words, detail: `${name}${from}: ${standing}, ${worst.quality}${when}`, doubtful }];
  });
}
