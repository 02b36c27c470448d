// Bars on lanes, so that none covers another.

/** A lane for each bar, in order: the first on which it fits, with `gap` between bars. */
export function lanes(bars: readonly { start: number; end: number }[], gap: number): number[] {
  const free: number[] = [];
  return bars.map((bar) => {
    const found = free.findIndex((until) => until + gap <= bar.start);
    const lane = found === -1 ? free.length : found;
    free[lane] = bar.end;
    return lane;
  });
}
