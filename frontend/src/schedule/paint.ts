// Draws the schedule on a canvas: bars of reservations, or, where there are too many nodes for bars, how
// full each group of nodes is. States differ by pattern as well as by colour.

import type { OccupancyDocument } from '../api/schema';
import { ticks } from '../time/ticks';
import { hueOf, type Bar } from './bars';
import { columnsOf } from './barColumns';
import { Specks, wordOf } from './specks';
import type { View } from './view';

export interface Scene {
  view: View;
  first: number;
  last: number;
  width: number;
  height: number;
  now: number;
  zone: string;
  dark: boolean;
  bars: readonly Bar[] | null;
  occupancy: OccupancyDocument | null;
  /** The reservation to show in front of others. */
  picked: string | null;
}

/** A colour of the page by its name. */
type Tone = (name: string) => string;

const FAMILY = 'system-ui, sans-serif';

const patterns = new Map<string, CanvasPattern | null>();

/** Diagonal lines: one way for what is held, both ways for what is out of service, dots for the past. */
function pattern(kind: 'held' | 'out' | 'past', colour: string): CanvasPattern | string {
  const key = kind + colour;
  let made = patterns.get(key);
  if (made === undefined) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const pen = tile.getContext('2d');
    if (pen) {
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = 1.6;
      pen.beginPath();
      if (kind === 'past') pen.arc(4, 4, 1.3, 0, 7);
      else {
        for (const shift of [-8, 0, 8]) {
          pen.moveTo(shift, 8);
          pen.lineTo(shift + 8, 0);
          if (kind === 'out') {
            pen.moveTo(shift, 0);
            pen.lineTo(shift + 8, 8);
          }
        }
      }
      if (kind === 'past') pen.fill();
      else pen.stroke();
      made = pen.createPattern(tile, 'repeat');
    }
    patterns.set(key, made ?? null);
  }
  return made ?? colour;
}

const specks = new Specks();

interface OwnerColours {
  strong: string;
  soft: string;
  /** The same as words of an image. */
  strongWord: number;
  softWord: number;
}
const colours = { light: new Map<string, OwnerColours>(), dark: new Map<string, OwnerColours>() };

/** An owner's colours, which are worked out once. */
function coloursOf(owner: string, dark: boolean): OwnerColours {
  const known = dark ? colours.dark : colours.light;
  let made = known.get(owner);
  if (!made) {
    const hue = hueOf(owner);
    const strong = `hsl(${hue} 55% ${dark ? 62 : 38}%)`;
    const soft = `hsl(${hue} ${dark ? '32% 27%' : '60% 84%'})`;
    made = { strong, soft, strongWord: wordOf(strong), softWord: wordOf(soft) };
    known.set(owner, made);
  }
  return made;
}

export function paint(pen: CanvasRenderingContext2D, scene: Scene, tone: Tone): void {
  const { view, first, last, width, height } = scene;
  const x = (at: number) => ((at - view.from) / (view.to - view.from)) * width;
  const y = (ordinal: number) => ((ordinal - first) / (last - first + 1)) * height;
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = tone('--card');
  pen.fillRect(0, 0, width, height);

  rows(pen, scene, tone, y);
  for (const tick of ticks(view.from, view.to, scene.zone, Math.max(3, width / 84))) {
    pen.fillStyle = tone(tick.isDay ? '--strong-line' : '--line');
    pen.fillRect(Math.round(x(tick.at)), 0, 1, height);
  }
  if (scene.occupancy) cells(pen, scene.occupancy, scene, tone, x, y);
  if (scene.bars) bars(pen, scene, scene.bars, tone);

  if (scene.now >= view.from && scene.now <= view.to) {
    pen.fillStyle = tone('--bad');
    pen.fillRect(Math.round(x(scene.now)) - 1, 0, 2, height);
  }
}

type Scale = (value: number) => number;

function rows(pen: CanvasRenderingContext2D, scene: Scene, tone: Tone, y: Scale): void {
  const step = scene.occupancy?.row_nodes ?? 1;
  pen.fillStyle = tone('--raised');
  for (let row = 1; scene.first + row * step <= scene.last; row += 2) {
    const top = y(scene.first + row * step);
    pen.fillRect(0, top, scene.width, y(Math.min(scene.last + 1, scene.first + (row + 1) * step)) - top);
  }
}

/** Groups of nodes: the fuller, the stronger. Where bars are drawn only what is out of service is. */
function cells(pen: CanvasRenderingContext2D, it: OccupancyDocument, scene: Scene, tone: Tone, x: Scale, y: Scale): void {
  const from = Date.parse(it.from);
  const layers = [
    [it.booked, (share: number) => share, tone('--brand')],
    [it.held, (share: number) => 0.35 + 0.65 * share, pattern('held', tone('--warn'))],
    [it.out, () => 1, pattern('out', tone('--quiet'))],
  ] as const;
  for (const [values, alpha, fill] of scene.bars ? layers.slice(2) : layers) {
    pen.fillStyle = fill;
    values.forEach((permille, cell) => {
      if (permille === 0) return;
      const start = from + (cell % it.columns) * it.column_s * 1000;
      const node = it.first_node + Math.floor(cell / it.columns) * it.row_nodes;
      if (start + it.column_s * 1000 < scene.view.from || start > scene.view.to) return;
      const top = y(node);
      const bottom = y(Math.min(it.last_node + 1, node + it.row_nodes));
      pen.globalAlpha = 0.12 + 0.88 * alpha(permille / 1000);
      pen.fillRect(x(start), top, x(start + it.column_s * 1000) - x(start) + 0.5, bottom - top - (bottom - top > 5 ? 1 : 0));
    });
  }
  pen.globalAlpha = 1;
}

function bars(pen: CanvasRenderingContext2D, scene: Scene, list: readonly Bar[], tone: Tone): void {
  pen.font = `600 11px ${FAMILY}`;
  pen.textBaseline = 'middle';
  specks.begin(scene.width, scene.height);
  const { starts, ends, firsts, lasts, styles, owners } = columnsOf(list);
  const words = owners.flatMap((owner) => {
    const { strongWord, softWord } = coloursOf(owner, scene.dark);
    return [strongWord, softWord];
  });
  const { from, to } = scene.view;
  const [first, last] = [scene.first, scene.last];
  const [perTime, perNode] = [scene.width / (to - from), scene.height / (last - first + 1)];
  for (let index = 0; index < list.length; index += 1) {
    const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
    if (end <= from || start >= to) continue;
    const [low, high] = [firsts[index] ?? 0, lasts[index] ?? 0];
    if (high < first || low > last) continue;
    const left = (start - from) * perTime;
    const wide = Math.max(2, (end - start) * perTime - 1);
    const top = (low - first) * perNode;
    const tall = Math.max(1.5, (high + 1 - low) * perNode - 1.5);
    const bar = list[index];
    if (wide >= 4 && tall >= 4 && bar) box(pen, bar, scene, tone, [left, top, wide, tall]);
    else specks.add(words[styles[index] ?? 0] ?? 0, left, top, wide, tall);
  }
  specks.show(pen);
}

type Rectangle = [left: number, top: number, wide: number, tall: number];

/** One bar that is large enough for its pattern. */
function box(pen: CanvasRenderingContext2D, bar: Bar, scene: Scene, tone: Tone, at: Rectangle): void {
  const [left, top, wide, tall] = at;
  const { strong, soft } = coloursOf(bar.owner, scene.dark);
  const held = bar.state === 'proposed';
  pen.fillStyle = held ? tone('--card') : soft;
  pen.fillRect(left, top, wide, tall);
  if (held || bar.state === 'completed') {
    pen.fillStyle = pattern(held ? 'held' : 'past', strong);
    pen.fillRect(left, top, wide, tall);
  }
  if (bar.state === 'active') {
    pen.fillStyle = strong;
    pen.fillRect(left, top, 4, tall);
  }
  const picked = bar.id === scene.picked;
  pen.strokeStyle = picked ? tone('--ink') : strong;
  pen.lineWidth = picked ? 2.5 : 1;
  pen.strokeRect(left + 0.5, top + 0.5, wide - 1, tall - 1);
  if (!held && tall >= 12 && wide > 7 * bar.owner.length + 8) {
    pen.fillStyle = tone('--ink');
    pen.fillText(bar.owner, Math.max(left, 0) + 8, top + tall / 2 + 0.5);
  }
}

/** Names of rows beside the chart, as many as there is room for. */
export function paintNames(pen: CanvasRenderingContext2D, scene: Scene, wide: number, tone: Tone): void {
  const it = scene.occupancy;
  pen.clearRect(0, 0, wide, scene.height);
  if (!it) return;
  const y = (ordinal: number) => ((ordinal - scene.first) / (scene.last - scene.first + 1)) * scene.height;
  pen.font = `11px ${FAMILY}`;
  pen.textBaseline = 'middle';
  let free = 0;
  it.row_names.forEach((name, row) => {
    const node = it.first_node + row * it.row_nodes;
    const middle = (y(node) + y(Math.min(it.last_node + 1, node + it.row_nodes))) / 2;
    if (node < scene.first || node > scene.last || middle < free + 6) return;
    const text = it.row_nodes > 1 ? `${name} …` : name;
    pen.fillStyle = tone('--quiet');
    pen.fillText(text, 0, middle + 0.5, wide - 6);
    free = middle + 8;
  });
}
