// The pages, and what an address names: a page, perhaps one thing that has a page of its own, and how it is looked at.

/** Their names are `language.texts.ui.pages`. */
export const PAGES = [
  { id: 'overview' },
  { id: 'plan' },
  { id: 'reservations' },
  { id: 'schedule' },
  { id: 'nodes' },
  { id: 'grid' },
  { id: 'reports' },
  { id: 'simulate' },
  { id: 'account' },
] as const;
export type Page = (typeof PAGES)[number]['id'];

/** What the part of an address after `?` says, such as `{ tab: 'past' }`. */
export type Query = Readonly<Record<string, string>>;

export interface Place {
  page: Page;
  /** What of the page is named, such as a reservation's id; empty for the page as a whole. */
  item: string;
  query: Query;
}

/** What has a page of its own: the page that lists it, and what stands before its name in the address. */
const THINGS = {
  reservation: { page: 'reservations', folder: '' },
  node: { page: 'nodes', folder: '' },
  simulation: { page: 'simulate', folder: '' },
  source: { page: 'grid', folder: 'sources/' },
  negotiation: { page: 'grid', folder: 'negotiations/' },
} as const satisfies Record<string, { page: Page; folder: string }>;
export type ThingKind = keyof typeof THINGS;

/** Something that has a page of its own. */
export interface Thing {
  kind: ThingKind;
  /** Its name, or its id. */
  name: string;
}

/** The list of series, which is a part of the page of reservations. */
export const SERIES = 'series';

/** A part of a path as it was before it was written there; unchanged where it cannot be read. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What is named by the part of an address after `#`; the plan where it names none. */
export function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [id, ...rest] = path.split('/');
  const page = PAGES.find((it) => it.id === id);
  const item = rest.map(decoded).join('/');
  return page ? { page: page.id, item, query: Object.fromEntries(new URLSearchParams(search)) } : { page: 'plan', item: '', query: {} };
}

/** The part of an address after and with `#`. */
export function hashOf({ page, item, query }: Place): string {
  const path = item.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':');
  const search = new URLSearchParams(query).toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return `#/${page}${path ? `/${path}` : ''}${search ? `?${search}` : ''}`;
}

/** The thing whose page an address names; null where it names one of `PAGES`. */
export function thingOf({ page, item }: Pick<Place, 'page' | 'item'>): Thing | null {
  if (page === 'reservations' && item === SERIES) return null;
  for (const [kind, it] of Object.entries(THINGS)) {
    const name = item.slice(it.folder.length);
    if (it.page === page && item.startsWith(it.folder) && name !== '') return { kind: kind as ThingKind, name };
  }
  return null;
}

/** The address of the page of a thing. */
export const hrefOf = (kind: ThingKind, name: string): string =>
  hashOf({ page: THINGS[kind].page, item: `${THINGS[kind].folder}${name}`, query: {} });

/** What a query says with some of it changed; what is empty is left out, and the same has the same order. */
export function changed(query: Query, changes: Query): Query {
  const entries = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== '');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
