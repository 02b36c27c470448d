// The time, and the time zone in which every page shows times.

import { usualZones, zoneOf } from '../time/zoneChoice';

/** The zone that was chosen here, and the site's when it was last heard of. */
const ZONE = 'wattbook-zone';
const SITE_ZONE = 'wattbook-site-zone';
const device = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

let chosen = $state(localStorage.getItem(ZONE));
let site = $state(localStorage.getItem(SITE_ZONE));
/** Starts lie on multiples of so many milliseconds since the Unix epoch. */
let slot = $state(1000);
const zone = $derived(zoneOf(chosen, site, device));
let now = $state(Date.now());

setInterval(() => {
  now = Date.now();
}, 1000);

export const clock = {
  /** The time, to the second. */
  get now() {
    return now;
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
  /** Starts at the site lie on multiples of so many milliseconds since the Unix epoch; a second until it is known. */
  get slot() {
    return slot;
  },
  set slot(milliseconds: number) {
    slot = milliseconds;
  },
  /** The time zone of the site as the service tells it. */
  set siteZone(name: string | null) {
    site = name;
    if (name) localStorage.setItem(SITE_ZONE, name);
    else localStorage.removeItem(SITE_ZONE);
  },
};
