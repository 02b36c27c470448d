// Tables of prices for simulations, made of what the site's agendas say.

import type { IntensityPiece, PricePiece } from '../api/schema';
import { iso } from '../time/words';

/** The site's prices with a price of CO2 on top, per tonne, wherever both price and intensity are known. */
export function priceTable(prices: readonly PricePiece[], co2: readonly IntensityPiece[], perTonne: number): string {
  const lines = ['start,end,price_per_mwh'];
  let first = 0;
  for (const price of prices) {
    const [from, to] = [Date.parse(price.start), Date.parse(price.end)];
    const after = (at: number) => (piece?: IntensityPiece) => piece !== undefined && Date.parse(piece.end) <= at;
    while (after(from)(co2[first])) first += 1;
    for (let at = first; at < co2.length; at += 1) {
      const piece = co2[at] as IntensityPiece;
      const [start, end] = [Math.max(from, Date.parse(piece.start)), Math.min(to, Date.parse(piece.end))];
      if (start >= to) break;
      // Grams per kWh are kilograms per MWh.
      const value = price.price_per_mwh + (perTonne * piece.intensity_g_per_kwh) / 1000;
      if (end > start) lines.push(`${iso(start)},${iso(end)},${Number(value.toFixed(6))}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** How much of a span pieces cover, from 0 to 1. */
export function covered(pieces: readonly { start: string; end: string }[], from: number, to: number): number {
  const parts = pieces.map(({ start, end }) => Math.min(to, Date.parse(end)) - Math.max(from, Date.parse(start)));
  return parts.reduce((sum, part) => sum + Math.max(0, part), 0) / (to - from);
}
