// Figure 3 of the paper: nodes in ascending order of idle power, as points of a picture.

import type { NodePowers } from '../api/schema';
import { language } from '../texts/language.svelte';

export interface Point {
  name: string;
  /** How many nodes it stands for. */
  nodes: number;
  /** Position of the first of them in the order, from 0. */
  at: number;
  idle: { least: number; mean: number; greatest: number };
  max: { least: number; mean: number; greatest: number };
  /** Whether one of them stands out. */
  out: boolean;
}

export function points(powers: NodePowers): Point[] {
  const { usual_idle_power_w: idle, usual_max_power_w: max } = powers;
  let at = 0;
  return powers.groups.map((group) => {
    const point: Point = {
      name: group.name,
      nodes: group.nodes,
      at,
      idle: group.idle_power_w,
      max: group.max_power_w,
      out:
        group.idle_power_w.least < idle.from ||
        group.idle_power_w.greatest > idle.to ||
        group.max_power_w.least < max.from ||
        group.max_power_w.greatest > max.to,
    };
    at += group.nodes;
    return point;
  });
}

/** Why a node stands out, in words. */
export function outWords(by: readonly string[]): string {
  const texts = language.texts.nodes.figure;
  const names: Record<string, string> = texts.by;
  return texts.both(by.map((it) => names[it] ?? it));
}
