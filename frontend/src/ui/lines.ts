// Lines over numeric axes: points to SVG paths.

export interface Line {
  name: string;
  points: { x: number; y: number }[];
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** How far the points of some lines reach; zero is in it. */
export function extent(lines: readonly Line[]): { x: [number, number]; y: [number, number] } {
  const points = lines.flatMap((line) => line.points);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const widened = ([low, high]: [number, number]): [number, number] =>
    high > low ? [low, high] : [low, low + 1];
  return {
    x: widened([Math.min(...xs, Infinity), Math.max(...xs, -Infinity)]),
    y: widened([Math.min(0, ...ys), Math.max(0, ...ys) * 1.05]),
  };
}

/** The SVG path through points, by the scales of both axes. */
export function path(points: Line['points'], x: (value: number) => number, y: (value: number) => number): string {
  return points
    .map((point, index) => `${index === 0 ? 'M' : 'L'}${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`)
    .join('');
}

/** Colours that stay apart for colour-blind eyes (Okabe and Ito), with dashes for those who see none. */
export const STYLES = [
  { class: 'line-0', dash: '' },
  { class: 'line-1', dash: '7 3' },
  { class: 'line-2', dash: '2 3' },
  { class: 'line-3', dash: '9 3 2 3' },
  { class: 'line-4', dash: '4 2' },
  { class: 'line-5', dash: '1 2' },
] as const;

/** Words on lines of at most so many characters, each word whole. */
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** How wide a text of a chart is at the most, pixels: in letters of 11 pixels of a wide typeface. */
export function widthOf(text: string): number {
  const widths = Array.from(text, (letter) => (/[.,\s]/.test(letter) ? 3.6 : /[A-Z%+−]/.test(letter) ? 11 : 7.1));
  return widths.reduce((sum, width) => sum + width, 0);
}
