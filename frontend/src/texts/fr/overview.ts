import type { Texts } from '../language.svelte';

export const overview: Texts['overview'] = {};
