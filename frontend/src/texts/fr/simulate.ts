import type { Texts } from '../language.svelte';

export const simulate: Texts['simulate'] = {};
