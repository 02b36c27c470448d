// The pages, and what an address names: a page, and perhaps one thing on it.

export const PAGES = [
  { id: 'plan', name: 'Plan' },
  { id: 'reservations', name: 'My reservations' },
  { id: 'schedule', name: 'Schedule' },
  { id: 'nodes', name: 'Nodes' },
  { id: 'grid', name: 'Grid' },
  { id: 'reports', name: 'Reports' },
  { id: 'simulate', name: 'Simulate' },
  { id: 'account', name: 'My account' },
] as const;
export type Page = (typeof PAGES)[number]['id'];

export interface Place {
  page: Page;
  /** What of the page is named, such as a reservation's id; empty for the page as a whole. */
  item: string;
}

/** What is named by the part of an address after `#`; the first page where it names none. */
export function placeOf(hash: string): Place {
  const [id, item = ''] = hash.replace(/^#\/?/, '').replace(/\?.*$/, '').split('/');
  const page = PAGES.find((it) => it.id === id);
  return page ? { page: page.id, item } : { page: 'plan', item: '' };
}
