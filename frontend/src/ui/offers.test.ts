import { expect, test } from 'vitest';

import { money } from '../units/format';
import { feeWords, rankingWords, sameOffer, saving, title, titles } from './offers';
import { offer } from './testOffer';

test('offers are named by what they are best at', () => {
  expect(title(offer({ rankings: ['cost_energy_co2', 'cost_co2_energy'] }))).toBe('Cheapest');
  expect(title(offer({ rankings: ['cost_energy_co2', 'co2_cost_energy'] }))).toBe('Cheapest and cleanest');
  expect(title(offer({ rankings: ['cost_energy_co2', 'co2_cost_energy', 'energy_cost_co2'] }))).toBe('Best in everything');
  expect(rankingWords('cost_co2_energy')).toBe('cost, then CO₂, then energy');
});

test('no two offers have the same name', () => {
  const shared = [offer({ rankings: ['energy_cost_co2'] }), offer({ rankings: ['energy_co2_cost'] }), offer({ rankings: ['cost_co2_energy'] })];
  expect(titles(shared)).toEqual(['Least energy, then cheapest', 'Least energy, then cleanest', 'Cheapest']);
  expect(titles([offer({}), offer({})])).toEqual(['As soon as possible', 'As soon as possible (2)']);
});

test('savings are shares of starting as soon as possible', () => {
  // 0.5 EUR at once, 0.3 EUR later: 40 % less.
  expect(saving(0.2, 0.3)).toEqual({ kind: 'less', text: '40 % less', slight: false });
  expect(saving(-0.1, 0.6)).toEqual({ kind: 'more', text: '20 % more', slight: false });
  expect(saving(0.005, 0.6).slight).toBe(true);
  expect(saving(0, 0.6)).toEqual({ kind: 'same', text: 'same', slight: true });
});

test('what is below a hundredth, or reads the same, is too little to be coloured', () => {
  const cents = (value: number) => money(value, 'EUR');
  // 1 % of 10 EUR counts; 0.9 % does not.
  expect(saving(0.1, 9.9, cents)).toEqual({ kind: 'less', text: '1 % less', slight: false });
  expect(saving(0.09, 9.91, cents)).toMatchObject({ kind: 'less', slight: true });
  // 0.154 EUR is 2.6 % more than 0.15 EUR; both read 0.15 EUR.
  expect(saving(0.004, 0.15, cents)).toEqual({ kind: 'same', text: 'same', slight: true });
  expect(saving(-0.004, 0.154, cents)).toEqual({ kind: 'same', text: 'same', slight: true });
  expect(saving(0.004, 0.15)).toMatchObject({ kind: 'less', slight: false });
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
