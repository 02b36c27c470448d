import type { Texts } from '../language.svelte';
import { count } from './count';
import { from, to } from './when';

export const time: Texts['time'] = {
  near: { yesterday: 'hier', today: 'aujourd’hui', tomorrow: 'demain' },
  at: (day, time) => `${day} ${time}`,
  spanOfDay: (day, start, end) => `${day} de ${start} à ${end}`,
  span: (start, end) => `${from(start)} ${to(end)}`,
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
