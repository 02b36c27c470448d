import { expect, test } from 'vitest';

import { carbon, energy, money, percent, power, rounded, whole } from './format';

test('energies are told in the unit that people would pick', () => {
  // 12,329,280 J / 3.6e6 J/kWh = 3.4248 kWh
  expect(energy(12_329_280)).toBe('3.42 kWh');
  expect(energy(1800)).toBe('0.5 Wh');
  expect(energy(7.2e9)).toBe('2 MWh');
  expect(energy(0)).toBe('0 Wh');
  expect(energy(-57_600)).toBe('−16 Wh');
});

test('grams turn into kilograms and tonnes', () => {
  expect(carbon(168.2433)).toBe('168 g');
  expect(carbon(1200)).toBe('1.2 kg');
  expect(carbon(3.4e6)).toBe('3.4 t');
});

test('watts turn into kilowatts and megawatts', () => {
  expect(power(225.5)).toBe('226 W');
  expect(power(8300)).toBe('8.3 kW');
  expect(power(1.25e7)).toBe('12.5 MW');
});

test('money has cents, and what matters below a cent', () => {
  expect(money(0.50961024, 'EUR')).toBe('0.51 EUR');
  expect(money(0.0042, 'EUR')).toBe('0.0042 EUR');
  expect(money(-0.197, 'EUR')).toBe('−0.20 EUR');
  expect(money(12345.6, 'EUR')).toBe('12,346 EUR');
});

test('shares and counts read as words do', () => {
  expect(percent(0.3874)).toBe('39 %');
  expect(percent(0.0123)).toBe('1.2 %');
  expect(whole(1_000_000)).toBe('1,000,000');
  expect(rounded(0)).toBe('0');
});
