import type { Texts } from '../language.svelte';

export const time: Texts['time'] = {};
