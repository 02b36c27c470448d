import type { Texts } from '../language.svelte';
import { count } from './count';

/** `d’aujourd’hui 22:00`, `de demain 02:00`, `du sam. 21 nov. 22:00` */
const since = (when: string) => (/^(hier|aujourd)/.test(when) ? `d’${when}` : `${when.startsWith('demain') ? 'de' : 'du'} ${when}`);
/** `à demain 02:00`, `au dim. 22 nov. 02:00` */
const until = (when: string) => `${/^(hier|aujourd|demain)/.test(when) ? 'à' : 'au'} ${when}`;

export const time: Texts['time'] = {
  near: { yesterday: 'hier', today: 'aujourd’hui', tomorrow: 'demain' },
  at: (day, time) => `${day} ${time}`,
  spanOfDay: (day, start, end) => `${day} de ${start} à ${end}`,
  span: (start, end) => `${since(start)} ${until(end)}`,
  units: { day: 'j', hour: 'h', minute: 'min', second: 's' },
  lengths: {
    none: 'Une durée telle que 2h, 90min, 1:30:00 (heures), 90 (minutes) ou 1-12 (jours-heures).',
    hint: '2h, 90min, 1:30:00 ou 1-12 (jours-heures)',
    day: (number) => count(number, 'jour'),
    hour: (number) => count(number, 'heure'),
    minute: (number) => count(number, 'minute'),
    second: (number) => count(number, 'seconde'),
  },
  zones: { site: 'le site', device: 'cet appareil' },
};
