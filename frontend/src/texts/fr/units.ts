import type { Texts } from '../language.svelte';

export const units: Texts['units'] = {};
