// How the sources of an agenda agree, in every language: for parts of the page that are read later, so that the first page is small.

import { agreement as en } from './en/agreement';
import { agreement as fr } from './fr/agreement';
import { language, type LanguageCode } from './language.svelte';

export const AGREEMENT: Record<LanguageCode, typeof en> = { en, fr };

/** The texts in the page's language. */
export const agreementTexts = () => AGREEMENT[language.code];
