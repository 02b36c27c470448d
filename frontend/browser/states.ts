// States of pages, reached one after the other in one tab. What a test cannot wait for is made of what the service really answers.

import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';

import { inspect } from './inspection';

/** What becomes of an answer; `fails` where the service is too busy for it, `waits` where it does not come. */
type Change = ((real: never, asked: URL) => unknown) | 'fails' | 'waits';

export interface State {
  name: string;
  /** Where it is, such as `grid?days=7`. */
  at: string;
  /** Answers that are changed, by their routes. */
  answers?: Record<string, Change>;
  /** What people do there. */
  act?: (page: Page) => Promise<unknown>;
  /** What stands only there. */
  there: string | RegExp;
  /** What is to be done anew at every width. */
  again?: (page: Page) => Promise<unknown>;
}

/** What the page says where an answer `fails`. */
export const FAILED = 'Too much is asked at once.';

/** Answers as a service that is too busy. */
export function fail(route: Route): Promise<void> {
  const json = { type: 'about:blank', title: 'Overloaded', status: 503, code: 'overloaded', detail: FAILED };
  return route.fulfill({ status: 503, contentType: 'application/problem+json', json });
}

async function change(page: Page, path: string, how: Change): Promise<void> {
  await page.route((url) => url.pathname.endsWith(`/api/v1/${path}`), async (route) => {
    if (how === 'waits') return;
    if (how === 'fails') return fail(route);
    // A connection that was kept may be closed just now.
    const response = await route.fetch({ maxRetries: 3 });
    const json = how((await response.json()) as never, new URL(route.request().url()));
    return route.fulfill({ response, json });
  });
}

/** Waits until this is chosen from what is called so. */
export const isChosen = (label: string, value: string) => (page: Page) =>
  expect.poll(() => page.getByLabel(label).first().inputValue(), { timeout: 60_000 }).toBe(value);

let visits = 0;

/** What `inspect` finds in each of the states, or that it is not reached; nothing of those in which all is well. */
export async function inspectStates(page: Page, url: string, states: readonly State[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  page.setDefaultTimeout(60_000);
  for (const { name, at, answers = {}, act, there, again } of states) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const [path, how] of Object.entries(answers)) await change(page, path, how);
    await page.setViewportSize({ width: 1280, height: 900 });
    // Loaded anew, so that nothing of the state before is left.
    await page.goto(`${url}?${(visits += 1)}#/${at}`);
    try {
      await act?.(page);
      await page.getByText(there).filter({ visible: true }).first().waitFor();
    } catch (error) {
      found[name] = [`not reached: ${String(error)}`];
      continue;
    }
    const faults = await inspect(page, again && (() => again(page)));
    if (faults.length > 0) found[name] = faults;
  }
  return found;
}
