import { count } from './count';

export const time = {
  near: { yesterday: 'yesterday', today: 'today', tomorrow: 'tomorrow' },
  /** `tomorrow 02:00` */
  at: (day: string, time: string) => `${day} ${time}`,
  /** Within a day, `end` being a time of it. */
  spanOfDay: (day: string, start: string, end: string) => `${day} ${start} to ${end}`,
  /** `start` and `end` are days with times. */
  span: (start: string, end: string) => `${start} to ${end}`,
  /** Behind numbers. */
  units: { day: 'd', hour: 'h', minute: 'min', second: 's' },
  lengths: {
    /** For those who wrote something that is none. */
    none: 'A length of time such as 2h, 90min, 1:30:00 (hours), 90 (minutes) or 1-12 (days-hours).',
    hint: '2h, 90min, 1:30:00 or 1-12 (days-hours)',
    day: (number: number) => count(number, 'day'),
    hour: (number: number) => count(number, 'hour'),
    minute: (number: number) => count(number, 'minute'),
    second: (number: number) => count(number, 'second'),
  },
  zones: { site: 'the site', device: 'this device' },
};
