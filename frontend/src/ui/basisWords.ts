// What a decision rests on, in words.

import { language } from '../texts/language.svelte';
import { inLanguage } from './inLanguage';

export const QUANTITY_WORDS = inLanguage<Record<string, string>>(() => language.texts.ui.quantities);

export const STANDING_WORDS = inLanguage<Record<string, string>>(() => language.texts.ui.standings);
