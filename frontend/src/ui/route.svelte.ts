// The page that the address names, what of it, and how it is looked at. Whoever loads the page again, goes
// back or follows a link sees the same.

import { changed, hashOf, placeOf, thingOf, type Page, type Query } from './address';

export { PAGES } from './address';
export type { Page } from './address';

/** Browsers refuse to change an address too often. */
const GAP = 200;

const first = placeOf(location.hash);
// Apart, so that naming something else on a page does not make the page anew.
let page = $state(first.page);
let item = $state(first.item);
let query = $state.raw<Query>(first.query);
let visits = $state(0);
/** The thing whose page it is; null on one of the pages themselves. */
const thing = $derived(thingOf({ page, item }));
/** How each page was looked at last. */
let left = $state.raw<Partial<Record<Page, Query>>>({});
remember();

let timer: ReturnType<typeof setTimeout> | undefined;
let written = 0;

/** Notes how the page is looked at, for who comes back to it. The page of a thing is none to come back to. */
function remember() {
  if (!thingOf({ page, item })) left = { ...left, [page]: query };
}
function write() {
  clearTimeout(timer);
  [timer, written] = [undefined, Date.now()];
  history.replaceState(history.state, '', hashOf({ page, item, query }));
}

addEventListener('hashchange', () => {
  clearTimeout(timer);
  timer = undefined;
  ({ page, item, query } = placeOf(location.hash));
  remember();
  visits += 1;
});
addEventListener('pagehide', () => timer !== undefined && write());

export const route = {
  get page() {
    return page;
  },
  /** What of the page is named, such as a reservation's id; empty for the page as a whole. */
  get item() {
    return item;
  },
  /** What has the page that is looked at; null where it is one of `PAGES`. */
  get thing() {
    return thing;
  },
  /** How the page is looked at. */
  get query() {
    return query;
  },
  /** Grows when somebody goes to another address, and not when the page changes its own. */
  get visits() {
    return visits;
  },
  /** Notes in the address how the page is looked at; what is empty is left out. `step`: Back leads to what was before. */
  note(changes: Query, { step = false, named = item }: { step?: boolean; named?: string } = {}) {
    const next = changed(query, changes);
    if (named === item && JSON.stringify(next) === JSON.stringify(query)) return;
    if (step) {
      write();
      history.pushState(history.state, '', hashOf({ page, item, query }));
    }
    [item, query] = [named, next];
    remember();
    const wait = written + GAP - Date.now();
    if (step || wait <= 0) write();
    else timer ??= setTimeout(write, wait);
  },
  /** The address of a page as it was looked at last. */
  to(id: Page): string {
    return hashOf({ page: id, item: '', query: left[id] ?? {} });
  },
};

/** A choice on the page that its address holds. To be called while a component is made. */
export function chosen(name: string, otherwise = '', { step = false } = {}) {
  // By itself, so that nothing is read anew when another choice changes.
  const value = $derived(query[name] ?? otherwise);
  return {
    get value() {
      return value;
    },
    set value(text: string) {
      route.note({ [name]: text === otherwise ? '' : text }, { step });
    },
  };
}
