// The service, typed by its OpenAPI document. Whatever goes wrong is a `Failure` in words.

import createClient from 'openapi-fetch';

import { language } from '../texts/language.svelte';
import { age } from './age.svelte';
import { base } from './base';
import { connection } from './connection.svelte';
import { Failure, placedWords } from './failure';
import { gate } from './gate';
import type { Problem, paths } from './schema';
import { session } from './session.svelte';
import { freshToken } from './signIn';

export { Failure } from './failure';

/** `fetch` that knows who asks and notices when the service is out of reach. */
export async function ask(input: Request): Promise<Response> {
  await gate.opened;
  return askAtOnce(input);
}

/** What comes of it; where the service does not answer, that it is out of reach. */
async function reached<T>(coming: Promise<T>, { signal }: Request): Promise<T> {
  try {
    return await coming;
  } catch (error) {
    // That is how `fetch` fails where no answer comes.
    if (signal.aborted || !(error instanceof TypeError)) throw error;
    connection.failed();
    throw new Failure('unreachable', language.texts.api.unreachable);
  }
}

/** The same for what others wait for. */
export async function askAtOnce(input: Request): Promise<Response> {
  const token = await reached(freshToken(), input);
  if (token) input.headers.set('Authorization', `Bearer ${token}`);
  const question = age.asked();
  const response = await reached(fetch(input), input);
  connection.answered();
  age.answered(new URL(input.url).pathname, response, question);
  if (response.status === 401) session.refused();
  else if (response.ok) session.accepted();
  return response;
}

export const api = createClient<paths>({ baseUrl: base, fetch: ask });

/** The failure that a response without the wanted body tells of. */
export function failure(problem: unknown, status: number): Failure {
  if (problem && typeof problem === 'object' && 'code' in problem) {
    const { code, detail, title, errors } = problem as Problem;
    return new Failure(code, detail || title, errors ?? [], problem as Problem);
  }
  return new Failure('unreadable', language.texts.api.withoutReason(status));
}

/** The body of an answer, or its failure thrown. */
export async function unwrap<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answer;
  if (error !== undefined || data === undefined) throw failure(error, response.status);
  return data;
}

/** JSON from a route whose description says less of its answer than the page reads. */
export async function getJson<T>(route: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(new Request(`${base}${route}`, { signal: signal ?? null }));
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failure(body, response.status);
  return body as T;
}

/** Sends JSON to such a route; what it answers, or null where the answer has no body. */
export async function sendJson<T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T | null> {
  const init: RequestInit = { method, headers: { 'Content-Type': 'application/json', ...headers } };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await ask(new Request(`${base}${route}`, init));
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw failure(answer, response.status);
  return answer as T | null;
}

/** A file of the service, with who asks told. */
export async function getFile(route: string): Promise<Blob> {
  const response = await ask(new Request(`${base}${route}`));
  if (!response.ok) throw failure(await response.json().catch(() => null), response.status);
  return response.blob();
}

/** Whether a failure means that the service is out of reach. */
export const isUnreachable = (error: unknown) => error instanceof Failure && error.code === 'unreachable';

/** Anything thrown, in words. */
export function words(error: unknown): string {
  if (error instanceof Failure) {
    return [error.words, ...error.errors.map(placedWords)].join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
