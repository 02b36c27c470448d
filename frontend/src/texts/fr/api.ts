import type { Texts } from '../language.svelte';

export const api: Texts['api'] = {};
