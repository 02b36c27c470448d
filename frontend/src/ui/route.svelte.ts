// The page that the address names, and what of it.

import { placeOf } from './address';

export { PAGES } from './address';
export type { Page } from './address';

const first = placeOf(location.hash);
// Apart, so that naming something else on a page does not make the page anew.
let page = $state(first.page);
let item = $state(first.item);

addEventListener('hashchange', () => {
  ({ page, item } = placeOf(location.hash));
});

export const route = {
  get page() {
    return page;
  },
  /** What of the page is named, such as a reservation's id; empty for the page as a whole. */
  get item() {
    return item;
  },
};
