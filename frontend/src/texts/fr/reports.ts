import type { Texts } from '../language.svelte';

export const reports: Texts['reports'] = {};
