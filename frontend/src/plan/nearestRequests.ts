// The nearest requests to an impossible one that are possible: fewer nodes, later, shorter. Each is
// found by asking, so that what a button promises was answered by the planner.

import type { DecisionDocument, QuoteRequest } from '../api/schema';
import { DAY, HOUR, iso } from '../time/words';

export interface Change {
  kind: 'fewer' | 'later' | 'shorter';
  request: QuoteRequest;
  decision: DecisionDocument;
}

export type Ask = (request: QuoteRequest) => Promise<DecisionDocument>;

const QUARTER = 900;
const EXTENSIONS = [3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY];

const possible = (decision: DecisionDocument) => decision.decision !== 'impossible';

/** The largest value in `[1, below)` that is possible, by bisection; less is never harder. */
async function largest(
  below: number,
  at: (value: number) => QuoteRequest,
  ask: Ask,
): Promise<{ value: number; decision: DecisionDocument } | null> {
  let found: { value: number; decision: DecisionDocument } | null = null;
  let [low, high] = [1, below - 1];
  while (low <= high) {
    const value = Math.floor((low + high) / 2);
    const decision = await ask(at(value));
    if (possible(decision)) {
      found = { value, decision };
      low = value + 1;
    } else {
      high = value - 1;
    }
  }
  return found;
}

async function fewer(request: QuoteRequest, ask: Ask): Promise<Change | null> {
  const at = (nodes: number): QuoteRequest => ({ ...request, nodes });
  const found = await largest(request.nodes ?? 1, at, ask);
  return found && { kind: 'fewer', request: at(found.value), decision: found.decision };
}

async function shorter(request: QuoteRequest, ask: Ask): Promise<Change | null> {
  const seconds = Number(request.duration_s);
  const at = (quarters: number): QuoteRequest => ({ ...request, duration_s: quarters * QUARTER });
  const found = await largest(Math.ceil(seconds / QUARTER), at, ask);
  return found && { kind: 'shorter', request: at(found.value), decision: found.decision };
}

async function later(request: QuoteRequest, ask: Ask): Promise<Change | null> {
  const key = request.latest_start ? 'latest_start' : 'latest_end';
  const latest = Date.parse(request[key] ?? request.earliest_start);
  for (const extension of EXTENSIONS) {
    const wider: QuoteRequest = { ...request, [key]: iso(latest + extension) };
    const decision = await ask(wider);
    const first = decision.as_soon_as_possible;
    if (!possible(decision) || !first) continue;
    // Just late enough for the first start that is possible, up to the next full hour.
    const needed = Date.parse(key === 'latest_start' ? first.start : first.end);
    const narrow: QuoteRequest = { ...request, [key]: iso(Math.ceil(needed / HOUR) * HOUR) };
    return { kind: 'later', request: narrow, decision: await ask(narrow) };
  }
  return null;
}

/** What can be changed, each by itself; those that do not help are left out. */
export async function nearestRequests(request: QuoteRequest, ask: Ask): Promise<Change[]> {
  const alone: QuoteRequest = { ...request };
  delete alone.alternatives;
  const changes: Change[] = [];
  for (const search of [fewer, later, shorter]) {
    const change = await search(alone, ask);
    if (change && possible(change.decision)) changes.push(change);
  }
  return changes;
}
