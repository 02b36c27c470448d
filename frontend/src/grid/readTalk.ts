// Reads the dialogue with the supplier, and takes the supplier's answers.

import { Failure, api, unwrap } from '../api/client';
import type { Conversation, GrantDocument, NegotiationDocument } from '../api/schema';
import { type PowerSpan, merged } from './talk';

const MOST_OPEN = 100;

/** Conversations, so many of those that have ended; null where they are not for who asks. */
export async function readTalk(closed: number, signal: AbortSignal): Promise<NegotiationDocument[] | null> {
  const read = (state: string, limit: number) =>
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

/** A conversation with its newest messages. */
export function readConversation(id: string, limit: number, signal: AbortSignal): Promise<Conversation> {
  const params = { path: { id }, query: { newest: true, limit } };
  return unwrap(api.GET('/api/v1/negotiations/{id}', { params, signal }));
}

export async function readGrants(signal: AbortSignal): Promise<GrantDocument[]> {
  return (await unwrap(api.GET('/api/v1/grants', { signal }))).items;
}

const OUTCOMES: Record<string, string> = {
  taken: 'Taken: those who asked are planned anew.',
  declined: 'Declined: the fee is above what those who asked pay.',
  noted: 'Noted: those who asked are told.',
};

export type Answer =
  | { answer: 'granted' | 'offered'; power: PowerSpan[] }
  | { answer: 'refused'; reason: string };

/** Puts what the supplier said to a question; what became of it, in words. */
export async function answer(id: string, body: Answer): Promise<string> {
  const params = { path: { id } };
  const { outcome } = await unwrap(api.POST('/api/v1/negotiations/{id}/answer', { params, body }));
  return OUTCOMES[outcome] ?? outcome;
}
