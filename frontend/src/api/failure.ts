// Whatever goes wrong when the service is asked.

import { language } from '../texts/language.svelte';
import { said } from './said';
import type { PlacedError, Problem } from './schema';

/** Why an answer is not what was asked for. */
export class Failure extends Error {
  constructor(
    /** The problem's stable word, or `unreachable`. */
    readonly code: string,
    message: string,
    readonly errors: PlacedError[] = [],
    readonly problem?: Problem,
  ) {
    super(message);
  }

  /** Its message: of the API where that told the problem, else of the page. */
  get words(): string {
    return this.problem ? said(this.message) : this.message;
  }
}

/** What is wrong with a field, called what forms call it, else by its own words: `Runs: must be 1 to 10,000`. */
export function placedWords({ pointer, place, detail }: PlacedError): string {
  const texts = language.texts.api;
  const fields: Record<string, string> = texts.fields;
  const name = (pointer ?? place ?? '').split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  const called = fields[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
  return called ? texts.placed(called, said(detail)) : said(detail);
}

/** What is wrong with each field, by the first part of its pointer. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof Failure)) return {};
  const entries = error.errors.map((it): [string, string] => [it.pointer?.split('/')[1] ?? '', said(it.detail)]);
  return Object.fromEntries(entries.filter(([field]) => field !== ''));
}
