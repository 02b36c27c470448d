// Which time zone the page shows: the one chosen here, else the site's, else the device's; and which it offers.

import { language } from '../texts/language.svelte';
import { isZone } from './zone';

type Name = string | null;

/** Names in use today that browsers know, and list under older ones. */
const NEWER = [
  'Africa/Asmara', 'America/Argentina/Buenos_Aires', 'America/Atikokan', 'America/Indiana/Indianapolis', 'America/Nuuk',
  'Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Yangon', 'Atlantic/Faroe', 'Europe/Kyiv', 'Pacific/Chuuk',
  'Pacific/Kanton', 'Pacific/Pohnpei', 'UTC',
];

/** Every zone that the browser knows, by the names in use today too. */
export const allZones = (): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), ...NEWER.filter(isZone)])].sort();

export function zoneOf(chosen: Name, site: Name, device: string): string {
  return [chosen, site].find((name) => name && isZone(name)) ?? device;
}

/** The site's zone, UTC, the device's and the one in use, each once, with words for people. */
export function usualZones(used: string, site: Name, device: string): { zone: string; words: string }[] {
  const texts = language.texts.time.zones;
  const words = (zone: string) => {
    const whose = [site === zone ? texts.site : '', device === zone ? texts.device : ''].filter(Boolean);
    return whose.length > 0 ? `${zone} (${whose.join(', ')})` : zone;
  };
  const zones = [site && isZone(site) ? site : device, 'UTC', device, used];
  return [...new Set(zones)].map((zone) => ({ zone, words: words(zone) }));
}
