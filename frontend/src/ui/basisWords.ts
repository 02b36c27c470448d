// What a decision rests on, in words.

export const QUANTITY_WORDS: Record<string, string> = {
  price: 'Price',
  co2: 'CO₂ intensity',
  power_cap: 'Power cap',
};

export const STANDING_WORDS: Record<string, string> = {
  put: 'as announced',
  fresh: 'up to date',
  last_good: 'the last known: its source is late',
  contract: 'by contract',
  forecast: 'a forecast of this site',
  safe_mode: 'a safe assumption: none is known',
};
