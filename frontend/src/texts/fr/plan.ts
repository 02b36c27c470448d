import type { Texts } from '../language.svelte';

export const plan: Texts['plan'] = {};
