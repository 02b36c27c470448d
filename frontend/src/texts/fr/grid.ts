import type { Texts } from '../language.svelte';

export const grid: Texts['grid'] = {};
