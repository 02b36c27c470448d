// Quantities for people: rounded to what matters, in units they read. The exact value goes on hover.

import { language } from '../texts/language.svelte';

const numbers = new Map<string, Intl.NumberFormat>();

/** A formatter of the page's language, made once. */
function numberFormat(least: number, most: number): Intl.NumberFormat {
  const key = `${language.locale} ${least} ${most}`;
  let made = numbers.get(key);
  if (!made) {
    made = new Intl.NumberFormat(language.locale, { minimumFractionDigits: least, maximumFractionDigits: most });
    numbers.set(key, made);
  }
  return made;
}

/** A number with so many significant digits, and thin groups. */
export function rounded(value: number, digits = 3): string {
  const size = Math.abs(value);
  const decimals = size === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return numberFormat(0, Math.min(decimals, 20)).format(value).replace(/^-/, '−');
}

/** `0.500`: a number with so many digits after the point. */
export const fixed = (value: number, decimals: number) => numberFormat(decimals, decimals).format(value).replace(/^-/, '−');

function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const fitting = units.find(([size]) => Math.abs(value) >= size) ?? units.at(-1);
  if (!fitting) return rounded(value);
  return `${rounded(value / fitting[0])} ${fitting[1]}`;
}

/** `3.42 kWh` of joules. */
export function energy(joules: number): string {
  return scaled(joules, [
    [3.6e12, 'GWh'],
    [3.6e9, 'MWh'],
    [3.6e6, 'kWh'],
    [3.6e3, 'Wh'],
  ]);
}

/** `3.424800 kWh` */
export function exactEnergy(joules: number): string {
  return `${(joules / 3.6e6).toFixed(6)} kWh (${joules} J)`;
}

/** `108 g`, `1.2 kg` */
export function carbon(grams: number): string {
  return scaled(grams, [
    [1e6, 't'],
    [1e3, 'kg'],
    [1, 'g'],
  ]);
}

export function exactCarbon(grams: number): string {
  return `${grams} g CO₂`;
}

/** `8.3 kW` of watts. */
export function power(watts: number): string {
  return scaled(watts, [
    [1e9, 'GW'],
    [1e6, 'MW'],
    [1e3, 'kW'],
    [1, 'W'],
  ]);
}

export function exactPower(watts: number): string {
  return `${watts} W`;
}

/** `0.51 EUR`: cents, and two digits that matter below. */
export function money(amount: number, currency: string): string {
  const size = Math.abs(amount);
  let decimals = 2;
  if (size > 0 && size < 0.095) decimals = Math.min(6, 1 - Math.floor(Math.log10(size)));
  if (size >= 1000) decimals = 0;
  const text = numberFormat(Math.min(2, decimals), decimals).format(amount);
  return `${text.replace(/^-/, '−')} ${currency}`;
}

export function exactMoney(amount: number, currency: string): string {
  return `${amount} ${currency}`;
}

/** `12 %` of a fraction. */
export const percent = (fraction: number) => `${rounded(fraction * 100, 2)} %`;

/** `12,000`: a whole number. */
export const whole = (number: number) => numberFormat(0, 0).format(number);
