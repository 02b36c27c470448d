import { expect, test } from 'vitest';

import { feeWords, rankingWords, sameOffer, saving, title } from './offers';
import { offer } from './testOffer';

test('offers are named by what they are best at', () => {
  expect(title(offer({ rankings: ['cost_energy_co2', 'cost_co2_energy'] }))).toBe('Cheapest');
  expect(title(offer({ rankings: ['cost_energy_co2', 'co2_cost_energy'] }))).toBe('Cheapest and cleanest');
  expect(title(offer({ rankings: ['cost_energy_co2', 'co2_cost_energy', 'energy_cost_co2'] }))).toBe('Best in everything');
  expect(rankingWords('cost_co2_energy')).toBe('cost, then CO₂, then energy');
});

test('savings are shares of starting as soon as possible', () => {
  // 0.5 EUR at once, 0.3 EUR later: 40 % less.
  expect(saving(0.2, 0.3)).toEqual({ kind: 'less', text: '40 % less' });
  expect(saving(-0.1, 0.6)).toEqual({ kind: 'more', text: '20 % more' });
  expect(saving(0, 0.6)).toEqual({ kind: 'same', text: 'same' });
});

test('an offer on other nodes at another price is not the same offer', () => {
  expect(sameOffer(offer({}), offer({}))).toBe(true);
  expect(sameOffer(offer({}), offer({ energy_j: 1.01e7 }))).toBe(false);
});

test('a fee for extra power is told where there is one', () => {
  const fee = (extra_power_fee?: number) => feeWords(offer({ extra_power_fee: extra_power_fee ?? null }));
  expect([fee(), fee(0)]).toEqual(['', '']);
  expect(fee(1.5)).toBe('1.50 EUR of the cost for extra power');
});
