import type { Texts } from '../language.svelte';

export const schedule: Texts['schedule'] = {};
