// How often something is read that is kept fresh.

/** How often is read where nothing tells what happens or answers are of before, and in any case. */
const POLL = 10_000;
const ALWAYS = 300_000;

export interface Freshness {
  /** Milliseconds after which it is read in any case, for what grows old by itself. */
  every?: number;
  /** It is much work for the service: no oftener than `every`, also where nothing tells what happens. What failed is tried again all the same. */
  costly?: boolean;
}

/** Milliseconds after which something is read in any case. `isTold`: what happens is told, and answers are of now. */
export const usualGap = (isTold: boolean, { every = ALWAYS, costly = false }: Freshness): number =>
  isTold || costly ? every : Math.min(POLL, every);
