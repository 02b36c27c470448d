import type { Texts } from '../language.svelte';

export const app: Texts['app'] = {};
