import type { Texts } from '../language.svelte';

export const app: Texts['app'] = {
  notLoaded: 'Cette page n’a pas pu être chargée.',
  tryAgain: 'Réessayer',
  languageNotLoaded: (wanted, now) => `La langue «\u00a0${wanted}\u00a0» n’a pas pu être chargée. La page reste en «\u00a0${now}\u00a0»\u00a0; vous pouvez réessayer.`,
  stayIn: (now) => `Garder «\u00a0${now}\u00a0»`,
  skip: 'Aller au contenu',
  tryNow: 'Réessayer',
  lost: 'Le service est injoignable. Ce que vous voyez peut être périmé\u00a0; nouvel essai en cours.',
  lostFor: (seconds) => `Le service est injoignable. Ce que vous voyez peut être périmé\u00a0; nouvel essai dans ${seconds}\u00a0s.`,
  kept: (time) => `La base de données du service est injoignable. Ce que vous voyez date de ${time} ou d’avant, et rien ne peut être réservé ni modifié.`,
  ago: (length) => `il y a ${length}`,
};
