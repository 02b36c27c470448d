// What is the same on every page: which page, which time zone, what time it is.

import { usualZones, zoneOf } from '../time/site';

export const PAGES = [
  { id: 'plan', name: 'Plan' },
  { id: 'reservations', name: 'My reservations' },
  { id: 'schedule', name: 'Schedule' },
  { id: 'nodes', name: 'Nodes' },
  { id: 'grid', name: 'Grid' },
  { id: 'simulate', name: 'Simulate' },
] as const;
export type Page = (typeof PAGES)[number]['id'];

function pageOf(hash: string): Page {
  const id = hash.replace(/^#\/?/, '').split(/[?/]/)[0];
  return PAGES.find((page) => page.id === id)?.id ?? 'plan';
}

/** The zone that was chosen here, and the site's when it was last heard of. */
const ZONE = 'wattbook-zone';
const SITE_ZONE = 'wattbook-site-zone';
const device = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

let page = $state(pageOf(location.hash));
let chosen = $state(localStorage.getItem(ZONE));
let site = $state(localStorage.getItem(SITE_ZONE));
const zone = $derived(zoneOf(chosen, site, device));
let now = $state(Date.now());

addEventListener('hashchange', () => {
  page = pageOf(location.hash);
});
setInterval(() => {
  now = Date.now();
}, 1000);

export const place = {
  get page() {
    return page;
  },
  get zone() {
    return zone;
  },
  set zone(name: string) {
    chosen = name;
    localStorage.setItem(ZONE, name);
  },
  /** Zones that people here are likely to want, each with why. */
  get usualZones() {
    return usualZones(zone, site, device);
  },
  /** The time zone of the site as the service tells it. */
  set siteZone(name: string | null) {
    site = name;
    if (name) localStorage.setItem(SITE_ZONE, name);
    else localStorage.removeItem(SITE_ZONE);
  },
  /** The time, to the second. */
  get now() {
    return now;
  },
};
