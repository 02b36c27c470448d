import type { Texts } from '../language.svelte';

export const api: Texts['api'] = {
  unreachable: 'Le service est injoignable.',
  withoutReason: (status) => `Le service a répondu ${status} sans dire pourquoi.`,
  answered: (status) => `Le service a répondu ${status}.`,
  signIn: {
    needsHttps: 'La connexion exige https. Ouvrez cette page par son adresse https.',
    otherTab: 'Cette connexion n’a pas été commencée dans cet onglet. Connectez-vous à nouveau.',
    otherProvider: 'Un autre fournisseur d’identité que prévu a répondu. Connectez-vous à nouveau.',
    refused: (why) => `Le fournisseur d’identité a refusé la connexion\u00a0: ${why}.`,
    noReason: 'aucune raison donnée',
  },
  placed: (field, detail) => `${field}\u00a0: ${detail}`,
  fields: {
    nodes: 'Nœuds',
    duration_s: 'Durée',
    earliest_start: 'Pas avant',
    latest_start: 'Début au plus tard',
    latest_end: 'Fin au plus tard',
    max_delay_h: 'Attente permise, heures',
    requests: 'Demandes par tirage',
    runs: 'Tirages',
    days: 'Jours',
    start: 'À partir du',
  },
};
