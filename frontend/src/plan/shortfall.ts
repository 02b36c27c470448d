// Where a request that fits nowhere came closest to fitting, and by how much it does not, for the picture over time.

import type { DecisionDocument, QuoteRequest } from '../api/schema';
import { valueAt, type Span, type Step } from '../ui/steps';

/** A part of a request that is drawn over what is there: from `base` up to `top`, of which what is above `limit` is short. */
export interface Piece extends Span {
  base: number;
  top: number;
  limit: number;
}

export interface Shortfall {
  pieces: Piece[];
  /** How much is short where it came closest. */
  missing: number;
  /** Of how much that is asked for. */
  of: number;
  /** When it is short. */
  when: Span;
}

/** From the start that came closest to its end. */
function spanOf(request: QuoteRequest, start: string, end: string): Span {
  const from = Date.parse(start);
  return { start: from, end: Math.max(from + Number(request.duration_s ?? 0) * 1000, Date.parse(end)) };
}

/** The power of a request on top of what is reserved, and where the cap leaves too little of it, watts. */
export function shortPower(request: QuoteRequest, decision: DecisionDocument, cap: readonly Step[], reserved: readonly Step[]): Shortfall | null {
  const binding = decision.reasons.find((it) => it.binding.missing_power_w != null)?.binding;
  if (!binding) return null;
  const missing = Number(binding.missing_power_w);
  const when = { start: Date.parse(binding.start), end: Date.parse(binding.end) };
  const limit = valueAt(cap, when.start);
  if (limit === null) return null;
  // What is missing there is what the request takes above what the cap leaves.
  const watts = missing + limit - (valueAt(reserved, when.start) ?? 0);
  const { start, end } = spanOf(request, binding.at_start, binding.end);
  const edges = [...cap, ...reserved].flatMap((it) => [it.start, it.end]).filter((it) => start < it && it < end);
  const at = [...new Set([start, ...edges, end])].sort((a, b) => a - b);
  const pieces = at.slice(0, -1).map((from, index): Piece => {
    const base = valueAt(reserved, from) ?? 0;
    return { start: from, end: at[index + 1] ?? end, base, top: base + watts, limit: valueAt(cap, from) ?? Infinity };
  });
  return { pieces, missing, of: watts, when };
}

/** The nodes of a request, and how many of them are not free where it came closest. */
export function shortNodes(request: QuoteRequest, decision: DecisionDocument): Shortfall | null {
  const binding = decision.reasons.find((it) => it.binding.missing_nodes != null)?.binding;
  if (!binding) return null;
  const missing = Number(binding.missing_nodes);
  const shapes = [request.nodes ?? 1, ...(request.alternatives ?? []).map((it) => it.nodes)].filter((it) => it >= missing);
  const nodes = Math.min(...shapes);
  if (!Number.isFinite(nodes)) return null;
  const span = spanOf(request, binding.at_start, binding.end);
  return { pieces: [{ ...span, base: 0, top: nodes, limit: nodes - missing }], missing, of: nodes, when: { start: Date.parse(binding.start), end: Date.parse(binding.end) } };
}
