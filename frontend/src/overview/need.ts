// One thing that needs somebody.

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

export const PAGES = {
  grid: { href: '#/grid', name: 'Grid' },
  outages: { href: '#/nodes?tab=outages', name: 'Nodes' },
  switching: { href: '#/nodes?tab=switching', name: 'Nodes' },
  schedule: { href: '#/schedule', name: 'Schedule' },
} as const;

/** A sentence without its end. */
export const bare = (text: string) => text.trim().replace(/[.\s]+$/, '');

/** `3 things need somebody`; empty where nothing does. */
export function countWords(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 thing needs somebody' : `${count} things need somebody`;
}
