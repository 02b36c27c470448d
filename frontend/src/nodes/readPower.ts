// Reads power actions, and takes what is decided on them.

import { api, unwrap } from '../api/client';
import type { PowerActionsDocument, PowerDecisionRequest } from '../api/schema';

/** Power actions of an answer. */
const MOST = 1000;

/** What is proposed, waits, or is being done, and the nodes that are held. */
export const readOpenActions = (signal: AbortSignal): Promise<PowerActionsDocument> =>
  unwrap(api.GET('/api/v1/power-actions', { params: { query: { state: 'open', limit: MOST } }, signal }));

/** Decides; the actions and holds that it is about, as they are then. */
export const decide = (body: PowerDecisionRequest): Promise<PowerActionsDocument> =>
  unwrap(api.POST('/api/v1/power-actions', { body }));
