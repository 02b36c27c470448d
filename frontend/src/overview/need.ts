// One thing that needs somebody.

import { language } from '../texts/language.svelte';
export interface Need {
  /** What it is about, so that nobody is told of one thing twice. */
  keys: string[];
  kind: 'bad' | 'warn';
  what: string;
  where: string;
  todo: string;
  /** The page where it is done; null where that is not on the page. */
  page: { href: string; name: string } | null;
}

const PLACES = {
  grid: { href: '#/grid', page: 'grid' },
  outages: { href: '#/nodes?tab=outages', page: 'nodes' },
  switching: { href: '#/nodes?tab=switching', page: 'nodes' },
  schedule: { href: '#/schedule', page: 'schedule' },
  reservations: { href: '#/reservations', page: 'reservations' },
} as const;

/** Where something is done, or an item there. */
export function pageAt(place: keyof typeof PLACES, item = ''): { href: string; name: string } {
  const { href, page } = PLACES[place];
  return { href: item ? `${href}/${item}` : href, name: language.texts.ui.pages[page] };
}

/** A sentence without its end. */
export const bare = (text: string) => text.trim().replace(/[.\s]+$/, '');

/** `3 things need somebody`; empty where nothing does. */
export const countWords = (count: number): string => (count === 0 ? '' : language.texts.overview.need.count(count));
