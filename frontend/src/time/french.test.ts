import { expect, test } from 'vitest';

import { time } from '../texts/fr/time';

test('French spans have the articles that their days need', () => {
  const { today, tomorrow } = time.near;
  expect(time.spanOfDay(today, '14:00', '16:00')).toBe('aujourd’hui de 14:00 à 16:00');
  expect(time.span(time.at(today, '22:00'), time.at(tomorrow, '02:00'))).toBe('d’aujourd’hui 22:00 à demain 02:00');
  expect(time.span(time.at(tomorrow, '22:00'), 'sam. 21 nov. 02:00')).toBe('de demain 22:00 au sam. 21 nov. 02:00');
  expect(time.span('ven. 20 nov. 22:00', 'sam. 21 nov. 02:00')).toBe('du ven. 20 nov. 22:00 au sam. 21 nov. 02:00');
});
