import { expect, test } from 'vitest';

import { accountingWords, countedName, otherCo2Words } from './accounting';
import { offer } from './testOffer';

const marginal = { accounting: 'marginal', factors: 'direct' };

test('a figure of CO₂ is named with how it is counted, where that is known', () => {
  expect(countedName('CO₂', { accounting: 'average', factors: 'life-cycle' })).toBe('CO₂, average, life cycle');
  expect(countedName('CO₂, g/kWh', { accounting: 'average', factors: null })).toBe('CO₂, g/kWh, average');
  expect(countedName('CO₂', null)).toBe('CO₂');
  expect(accountingWords(undefined)).toBe('');
});

test('an offer tells its CO₂ by the other accounting where that is known throughout', () => {
  expect(otherCo2Words(offer({ other_co2_g: 500 }), marginal)).toBe('CO₂, marginal, direct: 500 g');
  expect(otherCo2Words(offer({}), marginal)).toBe('');
  expect(otherCo2Words(offer({ other_co2_g: 500 }), null)).toBe('');
});
