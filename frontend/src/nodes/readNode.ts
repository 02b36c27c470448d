// Reads what there is of one node.

import { Failure, api, unwrap } from '../api/client';
import type { FindingDocument, ShownNode } from '../api/schema';
import { language } from '../texts/language.svelte';
import { firstOf } from '../ui/lookUp';

/** The node of a name. The API has lists alone, which are read up to it. */
export async function readNode(name: string, signal: AbortSignal): Promise<ShownNode> {
  const node = await firstOf(async (cursor: number | undefined) => {
    const query = { limit: 10_000, ...(cursor === undefined ? {} : { cursor }) };
    const { nodes, next_cursor } = await unwrap(api.GET('/api/v1/nodes', { params: { query }, signal }));
    return { items: nodes, next_cursor: next_cursor ?? null };
  }, (it) => it.name === name);
  if (!node) throw new Failure('not_found', language.texts.nodes.readNode.none(name));
  return node;
}

/** How the node was judged last by what meters say; null where it was not. */
export function readFinding(name: string, signal: AbortSignal): Promise<FindingDocument | null> {
  const page = (cursor: string | undefined) =>
    unwrap(api.GET('/api/v1/calibrations/findings', { params: { query: { limit: 1000, ...(cursor ? { cursor } : {}) } }, signal }));
  return firstOf(page, (it) => it.node === name);
}
