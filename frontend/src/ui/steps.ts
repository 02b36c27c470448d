// Step functions on a time axis: what agendas and profiles are.

export interface Step {
  start: number;
  end: number;
  value: number;
}

export interface Span {
  start: number;
  end: number;
}

/** Steps cut at the ends of spans: those outside of them, and those within. */
export function split(steps: readonly Step[], spans: readonly Span[]): { outside: Step[]; inside: Step[] } {
  if (spans.length === 0) return { outside: [...steps], inside: [] };
  const found: { outside: Step[]; inside: Step[] } = { outside: [], inside: [] };
  const cuts = spans.flatMap(({ start, end }) => [start, end]);
  for (const { start, end, value } of steps) {
    const at = [start, ...cuts.filter((cut) => start < cut && cut < end).sort((a, b) => a - b), end];
    at.slice(1).forEach((to, index) => {
      const from = at[index] ?? start;
      const isInside = spans.some((it) => it.start <= from && to <= it.end);
      found[isInside ? 'inside' : 'outside'].push({ start: from, end: to, value });
    });
  }
  return found;
}

/** Whether an instant is in one of these spans. */
export const isIn = (spans: readonly Span[], at: number): boolean => spans.some((it) => it.start <= at && at < it.end);

/** The value at an instant, where there is one. */
export function valueAt(steps: readonly Step[], at: number): number | null {
  return steps.find((step) => step.start <= at && at < step.end)?.value ?? null;
}

/** The steps within a span, cut at its ends; neighbours with one value are one. */
export function within(steps: readonly Step[], from: number, to: number): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    const [start, end] = [Math.max(step.start, from), Math.min(step.end, to)];
    if (end <= start) continue;
    const before = found.at(-1);
    if (before && before.end === start && before.value === step.value) before.end = end;
    else found.push({ start, end, value: step.value });
  }
  return found;
}

/** The parts of a span that no step covers. */
export function gaps(steps: readonly Step[], from: number, to: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let reached = from;
  for (const step of within(steps, from, to)) {
    if (step.start > reached) found.push({ start: reached, end: step.start });
    reached = Math.max(reached, step.end);
  }
  if (reached < to) found.push({ start: reached, end: to });
  return found;
}

type Scale = (value: number) => number;

/** The SVG path along steps. */
export function outline(steps: readonly Step[], x: Scale, y: Scale): string {
  return steps
    .map((step, index) => {
      const joined = steps[index - 1]?.end === step.start;
      return `${joined ? 'L' : 'M'}${x(step.start).toFixed(1)},${y(step.value).toFixed(1)}H${x(step.end).toFixed(1)}`;
    })
    .join('');
}

/** The SVG path around the areas between steps and zero. */
export function areas(steps: readonly Step[], x: Scale, y: Scale): string {
  const zero = y(0).toFixed(1);
  return steps
    .map((step) => `M${x(step.start).toFixed(1)},${zero}V${y(step.value).toFixed(1)}H${x(step.end).toFixed(1)}V${zero}Z`)
    .join('');
}

/** From the least to the greatest value, with zero where it is near; never empty. */
export function range(values: readonly number[]): [number, number] {
  const low = Math.min(0, ...values);
  const high = Math.max(...values, low);
  return high > low ? [low, high] : [low, low + 1];
}
