// Room beside the plot of a chart over time: as much as the widest value of its scales needs.

import { getContext, setContext, untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

const KEY = Symbol('scaleRoom');

/** What a chart has room for; it knows its scales only once they are made. */
export class ScaleRoom {
  private readonly widths = new SvelteMap<symbol, number>();
  /** How wide the widest of its scales is, pixels. */
  readonly needed = $derived(Math.max(0, ...this.widths.values()));

  /** Makes room for a scale; gives back how to take it away. */
  take(scale: symbol, width: number): () => void {
    untrack(() => this.widths.set(scale, width));
    return () => untrack(() => this.widths.delete(scale));
  }
}

/** To be called while the chart is made. */
export const giveRoom = (): ScaleRoom => setContext(KEY, new ScaleRoom());

/** Says how wide a scale of the chart is. To be called while the scale is made. */
export function takeRoom(width: () => number): void {
  const room = getContext<ScaleRoom | undefined>(KEY);
  const scale = Symbol('scale');
  $effect.pre(() => room?.take(scale, width()));
}
