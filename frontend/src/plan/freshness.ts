// How old, and how good, the data is that an offer rests on, in words.

import type { BasisDocument, OfferDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { exact, length } from '../time/words';
import { standingWord } from '../ui/basisWords';

const QUANTITIES = ['price', 'co2', 'power_cap'] as const;

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
function oldWords(name: string, age: number): string {
  const texts = language.texts.plan.freshness;
  return age < 60_000 ? texts.justNow(name) : texts.old(name, length(Math.floor(age / 60_000) * 60_000));
}

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
  const texts = language.texts.plan.freshness;
  const qualities: Record<string, string> = texts.qualities;
  return QUANTITIES.flatMap((quantity) => {
    const name = texts.quantities[quantity];
    const own = rests.filter((it) => it.quantity === quantity);
    const rank = (it: BasisDocument) => (DOUBTFUL.has(it.standing) ? 1e15 : 0) + (ageOf(it, now) ?? 0);
    const worst = [...own].sort((a, b) => rank(b) - rank(a))[0];
    if (!worst) return [];
    const age = ageOf(worst, now);
    const doubtful = DOUBTFUL.has(worst.standing);
    const standing = standingWord(worst.standing);
    const good = () => (age === null ? texts.good(name, standing) : oldWords(name, age));
    const words = doubtful ? texts.doubtful(name, standing) : good();
    const received = worst.received_at ? exact(Date.parse(worst.received_at), zone) : '';
    return [{ quantity, words, detail: texts.detail(name, worst.source, standing, qualities[worst.quality] ?? worst.quality, received), doubtful }];
  });
}
