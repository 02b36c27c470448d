import type { Texts } from '../language.svelte';

export const account: Texts['account'] = {};
