import { expect, test } from 'vitest';

import { inLanguage } from './inLanguage';

test('a part of the catalogue is as it stands when it is read', () => {
  let part: Record<string, string> = { cost: 'cost', co2: 'CO₂' };
  const words = inLanguage(() => part);
  expect(words.cost).toBe('cost');
  part = { cost: 'coût', co2: 'CO₂' };
  expect(words.cost).toBe('coût');
  expect(words.energy).toBeUndefined();
  expect(Object.entries(words)).toEqual([['cost', 'coût'], ['co2', 'CO₂']]);
});
