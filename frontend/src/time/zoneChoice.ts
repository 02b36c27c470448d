// Which time zone the page shows: the one chosen here, else the site's, else the device's; and which it offers.

import { isZone } from './zone';

type Name = string | null;

export function zoneOf(chosen: Name, site: Name, device: string): string {
  return [chosen, site].find((name) => name && isZone(name)) ?? device;
}

/** The site's zone, UTC, the device's and the one in use, each once, with words for people. */
export function usualZones(used: string, site: Name, device: string): { zone: string; words: string }[] {
  const words = (zone: string) => {
    const whose = [site === zone ? 'the site' : '', device === zone ? 'this device' : ''].filter(Boolean);
    return whose.length > 0 ? `${zone} (${whose.join(', ')})` : zone;
  };
  const zones = [site && isZone(site) ? site : device, 'UTC', device, used];
  return [...new Set(zones)].map((zone) => ({ zone, words: words(zone) }));
}
