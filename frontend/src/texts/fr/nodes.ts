import type { Texts } from '../language.svelte';

export const nodes: Texts['nodes'] = {};
