import type { Texts } from '../language.svelte';
import { on } from './when';

const both = (less: string, more: string) => [less, more].filter(Boolean).join(' et ');
const all = (amounts: readonly string[]) => amounts.join(' et ');
/** `de mars 2026`, `d’avril 2026` */
const of = (month: string) => (/^[aeiou]/i.test(month) ? `d’${month}` : `de ${month}`);

export const reports: Texts['reports'] = {
  page: {
    title: 'Bilans',
    month: 'Mois',
    saveTable: 'Tableau (CSV)',
    print: 'Imprimer',
    together: 'Total',
    measured: (share) => `dont ${share} mesurés`,
    noPrice: 'prix inconnu',
    cost: 'de coût',
    noIntensity: 'intensité inconnue',
    emitted: 'émis, selon le réseau',
    savedByUser: 'Économies par utilisateur',
    savedByProject: 'Économies par projet',
    nothing: 'Le registre de ce mois est encore vide.',
    nothingForYou: 'Le registre de ce mois ne contient rien pour vous.',
    statedTo: (when) => `Dernière heure comptabilisée : ${when}.`,
    notStated: 'Aucune heure n’est encore comptabilisée.',
  },
  lines: {
    title: 'À qui revient l’énergie',
    by: 'Par',
    table: 'Tableau de l’énergie',
    nodeHours: 'Heures de nœud',
    used: 'Dont travaux',
    energy: 'Énergie',
    measured: 'Mesuré',
    cost: 'Coût',
    co2ByGrid: 'CO₂ du réseau',
    co2ByBought: 'CO₂ des achats',
    otherCo2: 'Autre CO₂',
    aboutOther: 'L’autre CO₂ vient aussi du réseau, selon le calcul que le site n’emploie pas pour planifier.',
    promised: 'Économie promise',
    saved: 'Économie mesurée',
    error: 'Erreur',
    about:
      'Les économies se comparent à un démarrage au plus tôt : promise est ce qu’annonçaient les offres choisies, mesurée est le même calcul ' +
      'pour l’énergie réellement consommée. L’erreur est celle de l’énergie prévue par les offres. Un champ vide est une valeur inconnue.',
  },
  keys: { user: 'Utilisateur', project: 'Projet', application: 'Application', partition: 'Partition' },
  unnamed: {
    user: 'personne : nœuds au repos, installation',
    project: 'sans projet',
    application: 'sans application',
    partition: 'sans partition',
  },
  saved: {
    table: (title) => `Tableau : ${title}`,
    notCompared: 'aucun créneau à comparer',
    notKnown: 'démarrage au plus tôt inconnu',
    together: 'Total',
  },
  sentence: {
    month: (month) => `En ${month}`,
    monthSoFar: (month) => `Depuis le début ${of(month)}`,
    co2: (co2) => `${co2} de CO₂`,
    promised: (less, more) => both(less.length > 0 ? `${all(less)} d’économie` : '', more.length > 0 ? `${all(more)} de plus` : ''),
    really: (less, more) =>
      both(less.length > 0 ? `${all(less)} ont été économisés` : '', more.length > 0 ? `${all(more)} se sont ajoutés` : ''),
    nothingKnown: (at) => `${at}, rien n’est connu d’un démarrage au plus tôt : les économies ne peuvent être calculées.`,
    promisedAlone: (at, promised) =>
      `${at}, par rapport à un démarrage au plus tôt, les offres promettaient ${promised}. L’économie réelle est inconnue, faute de prix ou d’intensité CO₂.`,
    reallyAlone: (at, really) => `${at}, par rapport à un démarrage au plus tôt, ${really}.`,
    reallyAndPromised: (at, really, promised) =>
      `${at}, par rapport à un démarrage au plus tôt, ${really} ; les offres promettaient ${promised}.`,
    noneMeasured: 'Rien de cette énergie n’a été mesuré : tout est estimé.',
    allMeasured: 'Toute cette énergie a été mesurée.',
    shareMeasured: (share) => `${share} de cette énergie a été mesurée, le reste est estimé.`,
  },
  bill: {
    title: (month) => `Facture ${of(month)}`,
    table: 'Tableau de la facture',
    charge: 'Poste',
    for: 'Pour',
    cost: 'Coût',
    energy: 'Énergie',
    quarter: (when) => `le quart d’heure commencé ${on(when)}`,
    powerInQuarter: (power, when) => `${power}, quart d’heure commencé ${on(when)}`,
    wholeMonth: 'le mois',
    together: 'Total',
    about: 'La pointe quart-horaire du mois est facturée à ceux qui y ont consommé, au prorata. Chaque utilisateur voit sa part.',
  },
};
