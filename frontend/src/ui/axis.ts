// Numeric axes.

/** Round values within limits, at most about `most`, for the marks of an axis. */
export function axisMarks([low, high]: [number, number], most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => it >= rough) ?? rough;
  const marks: number[] = [];
  for (let mark = Math.ceil(low / step); mark * step <= high; mark += 1) marks.push(mark * step);
  return marks;
}
