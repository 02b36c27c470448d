// What was looked for by its name, or why it is not told.

import { Failure } from '../api/failure';

export type LookedUp<T> = { it: T; lack?: undefined } | { it?: undefined; lack: Failure };

/** What is read, or why there is nothing to be told; whatever else goes wrong is thrown. */
export async function lookedUp<T>(read: Promise<T>): Promise<LookedUp<T>> {
  try {
    return { it: await read };
  } catch (error) {
    if (error instanceof Failure && ['not_found', 'forbidden'].includes(error.code)) return { lack: error };
    throw error;
  }
}

/** A page of a list that is read page by page. */
export interface Part<T, C> {
  items: readonly T[];
  next_cursor?: C | null;
}

/** The first of a list that fits, read page by page; null where none does. */
export async function firstOf<T, C>(
  read: (cursor: C | undefined) => Promise<Part<T, C>>,
  fits: (it: T) => boolean,
): Promise<T | null> {
  let cursor: C | undefined;
  do {
    const part = await read(cursor);
    const it = part.items.find(fits);
    if (it !== undefined) return it;
    cursor = part.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return null;
}

/** All of a list, read page by page, but no more than so many pages; `more` where there are others. */
export async function allOf<T, C>(
  read: (cursor: C | undefined) => Promise<Part<T, C>>,
  pages: number,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: C | undefined;
  for (let page = 0; page < pages; page += 1) {
    const part = await read(cursor);
    items.push(...part.items);
    cursor = part.next_cursor ?? undefined;
    if (cursor === undefined) return { items, more: false };
  }
  return { items, more: true };
}
