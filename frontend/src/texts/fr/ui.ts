import type { Texts } from '../language.svelte';

export const ui: Texts['ui'] = {
  header: { language: 'Langue', timeZone: 'Fuseau horaire' },
};
