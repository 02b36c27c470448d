// What a decision rests on, in words.

import { language } from '../texts/language.svelte';

export function quantityWord(quantity: string): string {
  const words: Record<string, string> = language.texts.ui.quantities;
  return words[quantity] ?? quantity;
}

export function standingWord(standing: string): string {
  const words: Record<string, string> = language.texts.ui.standings;
  return words[standing] ?? standing;
}
