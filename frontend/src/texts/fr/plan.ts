import type { Texts } from '../language.svelte';
import { planBooking } from './planBooking';
import { planForm } from './planForm';
import { planOffers } from './planOffers';
import { planStarts } from './planStarts';

export const plan: Texts['plan'] = { ...planForm, ...planOffers, ...planStarts, ...planBooking };
