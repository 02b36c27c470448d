// Quota adjustments that have yet to end, all pages of them.

import { api, unwrap } from '../api/client';
import type { QuotaAdjustmentDocument } from '../api/schema';

export async function readAdjustments(signal: AbortSignal): Promise<QuotaAdjustmentDocument[]> {
  const all: QuotaAdjustmentDocument[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const page = await unwrap(api.GET('/api/v1/quotas/adjustments', { params: { query }, signal }));
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
