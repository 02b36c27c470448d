// Instants and lengths of time as text: in words, and as the API takes them.

import { language } from '../texts/language.svelte';
import { format, offsetAt, wallOf } from './zone';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What words about time depend on: when it is now, and in which zone people read times. */
export interface Clock {
  now: number;
  zone: string;
}

/** `2026-11-21T13:30:05Z`: an instant as the API takes it. */
export const iso = (instant: number) => new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');

/** `14:30` */
export function timeOfDay(instant: number, zone: string): string {
  return format(zone, { hour: '2-digit', minute: '2-digit' }).format(instant);
}

/** `14:30:05` */
export function exactClock(instant: number, zone: string): string {
  return format(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(instant);
}

/** `Sat 21 Nov` */
export function day(instant: number, zone: string): string {
  return format(zone, { weekday: 'short', day: 'numeric', month: 'short' })
    .format(instant)
    .replace(',', '');
}

function wallDay(instant: number, zone: string): number {
  return Math.floor(wallOf(instant, zone) / DAY);
}

/** `today`, `tomorrow`, `yesterday` or `Sat 21 Nov` */
export function nearDay(instant: number, now: number, zone: string): string {
  const away = wallDay(instant, zone) - wallDay(now, zone);
  const { near } = language.texts.time;
  return { [-1]: near.yesterday, 0: near.today, 1: near.tomorrow }[away] ?? day(instant, zone);
}

/** `tomorrow 02:00` */
export function when(instant: number, now: number, zone: string): string {
  return language.texts.time.at(nearDay(instant, now, zone), timeOfDay(instant, zone));
}

/** `today 22:00 to tomorrow 02:00`, `today 14:00 to 16:00` */
export function span(start: number, end: number, now: number, zone: string): string {
  const texts = language.texts.time;
  if (wallDay(start, zone) !== wallDay(end, zone)) return texts.span(when(start, now, zone), when(end, now, zone));
  return texts.spanOfDay(nearDay(start, now, zone), timeOfDay(start, zone), timeOfDay(end, zone));
}

/** `Sat 21 Nov 2026, 14:30:05 (UTC+01:00)`: nothing left out. */
export function exact(instant: number, zone: string): string {
  const year = format(zone, { year: 'numeric' }).format(instant);
  const time = exactClock(instant, zone);
  return `${day(instant, zone)} ${year}, ${time} (${offset(instant, zone)})`;
}

/** `UTC+01:00` */
export function offset(instant: number, zone: string): string {
  const minutes = Math.round(offsetAt(instant, zone) / MINUTE);
  if (minutes === 0) return 'UTC';
  const sign = minutes < 0 ? '−' : '+';
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${sign}${two(hours)}:${two(rest)}`;
}

/** `2 h 30 min`, `45 min`, `3 d 4 h`, `20 s`; at most two parts. */
export function length(milliseconds: number): string {
  let seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds >= 3600) seconds = Math.round(seconds / 60) * 60;
  const { units } = language.texts.time;
  const parts: string[] = [];
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const) {
    const count = Math.floor(seconds / size);
    if (count > 0 && parts.length < 2) parts.push(`${count} ${units[unit]}`);
    else if (parts.length > 0) break;
    seconds -= count * size;
  }
  return parts.join(' ') || `0 ${units.second}`;
}

/** `14:05` left of an hour's hold: minutes and seconds. */
export function countdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const rest = String(seconds % 60).padStart(2, '0');
  return `${Math.floor(seconds / 60)}:${rest}`;
}

/** Instants in a sentence, told as people read them. */
export function withTimes(text: string, show: (instant: number) => string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => show(Date.parse(instant)));
}
