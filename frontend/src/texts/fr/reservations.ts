import type { Texts } from '../language.svelte';

export const reservations: Texts['reservations'] = {};
