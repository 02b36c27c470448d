// Reads the dialogue with the supplier, and takes the supplier's answers.

import { Failure, api, failure, unwrap } from '../api/client';
import type { Conversation, GrantDocument, GrantRequest, NegotiationDocument } from '../api/schema';
import { language } from '../texts/language.svelte';
import { merged, type PowerSpan } from '../ui/negotiations';

const MOST_OPEN = 100;

/** Negotiations: all that are open, so many of those that have ended; null where the caller may not read them. */
export async function readNegotiations(closed: number, signal: AbortSignal): Promise<NegotiationDocument[] | null> {
  const read = (state: 'open' | 'closed', limit: number) =>
    unwrap(api.GET('/api/v1/negotiations', { params: { query: { state, limit } }, signal }));
  try {
    // One after the other: what ends meanwhile is then in both, never in neither.
    const open = await read('open', MOST_OPEN);
    const ended = await read('closed', closed);
    return merged(open.items, ended.items);
  } catch (error) {
    if (error instanceof Failure && error.code === 'forbidden') return null;
    throw error;
  }
}

/** A negotiation with its newest messages. */
export function readMessages(id: string, limit: number, signal: AbortSignal): Promise<Conversation> {
  const params = { path: { id }, query: { newest: true, limit } };
  return unwrap(api.GET('/api/v1/negotiations/{id}', { params, signal }));
}

/** All grants. */
export async function readGrants(signal: AbortSignal): Promise<GrantDocument[]> {
  return (await unwrap(api.GET('/api/v1/grants', { signal }))).items;
}

/** Gives extra power that nobody asked for. */
export const give = (body: GrantRequest): Promise<GrantDocument> => unwrap(api.POST('/api/v1/grants', { body }));

/** Takes extra power back. */
export async function revoke(grant: string): Promise<void> {
  const { error, response } = await api.DELETE('/api/v1/grants/{grant_id}', { params: { path: { grant_id: grant } } });
  if (!response.ok) throw failure(error, response.status);
}

/** What the supplier answers to a question. */
export type Answer =
  | { answer: 'granted' | 'offered'; power: PowerSpan[]; last_word?: boolean }
  | { answer: 'refused'; reason: string };

/** Takes the supplier's answer to a question; what became of it, in words. */
export async function answer(id: string, body: Answer): Promise<string> {
  const params = { path: { id } };
  const { outcome } = await unwrap(api.POST('/api/v1/negotiations/{id}/answer', { params, body }));
  const outcomes: Record<string, string> = language.texts.grid.answerForm.outcomes;
  return outcomes[outcome] ?? outcome;
}
