import type { Texts } from '../language.svelte';
import { count } from './count';
import { overviewNeeds } from './overviewNeeds';
import { on } from './when';

const form = (number: number, one: string, many: string) => (number < 2 ? one : many);
const atLeast = (isLeast: boolean) => (isLeast ? ', au moins' : '');

export const overview: Texts['overview'] = {
  stopAlerts: 'Arrêter les alertes ici',
  alertsRefused: 'Ce navigateur refuse les alertes de cette page.',
  alertMe: 'M’alerter sur cet appareil',
  largeDisplay: 'Grand écran',
  now: 'En ce moment',
  needs: overviewNeeds,
  need: {
    title: 'À traiter',
    nothing: 'Rien à traiter pour le moment.',
    nothingForAnybody: 'Rien à traiter',
    count: (number) => count(number, 'point à traiter', 'points à traiter'),
  },
  booked: {
    runningAndComing: 'En cours et sous 24\u00a0h',
    manyBefore: (number) => `${count(number, 'réservation')}\u00a0: voir le `,
    manyLink: 'planning',
    manyAfter: '.',
    moreBefore: (number) => `${count(number, 'autre réservation', 'autres réservations')}\u00a0: voir le `,
    moreLink: 'planning',
    moreAfter: '.',
    running: { name: 'En cours', none: 'Aucune réservation en cours.', at: 'Fin' },
    coming: { name: 'Commence sous 24\u00a0h', none: 'Aucune réservation ne commence sous 24\u00a0h.', at: 'Début' },
    table: (part) => `Tableau\u00a0: ${part}`,
    who: 'Qui',
    nodes: 'Nœuds',
    draws: 'Puissance',
    measured: 'mesurée',
    planned: 'prévue',
  },
  display: {
    lost: (length, time) => `Service injoignable depuis ${length}. Données de ${time}\u00a0; nouveaux essais en cours.`,
    kept: (length, time) =>
      `Base de données du service injoignable depuis ${length}. Données de ${time} ou d’avant\u00a0; nouveaux essais en cours.`,
    more: (number) => `et ${count(number, 'autre')}`,
    booked: 'Réservations',
    nodes: (number) => count(number, 'nœud'),
    until: (when) => `fin ${on(when)}`,
    from: (when) => `début ${on(when)}`,
    moreWithinDay: (number) => `et ${count(number, 'autre')} sous 24\u00a0h`,
    statusHeard: (status, length) => `${status}, reçu il y a ${length}`,
  },
  load: {
    title: 'Charge et plafond, sur les prochaines 24\u00a0h',
    booked: 'réservé',
    held: 'retenu par des offres',
    cap: 'plafond',
  },
  sources: {
    title: 'Sources',
    none: 'Aucune source n’est configurée\u00a0: le fournisseur ou un opérateur publie les calendriers.',
    heard: (length) => `reçu il y a ${length}`,
  },
  waiting: { title: 'En attente', none: 'Rien en attente.' },
  waits: {
    held: (number, isLeast) => form(number, 'demande retient des offres', 'demandes retiennent des offres') + atLeast(isLeast),
    awaiting: (number, isLeast) =>
      form(number, 'demande attend le fournisseur', 'demandes attendent le fournisseur') + atLeast(isLeast),
    asked: (number) => form(number, 'question au fournisseur sans réponse', 'questions au fournisseur sans réponse'),
    jobs: (number, isLeast) => form(number, 'travail attend dans Slurm', 'travaux attendent dans Slurm') + atLeast(isLeast),
    actions: (number) => form(number, 'action d’alimentation à approuver', 'actions d’alimentation à approuver'),
  },
  figures: {
    of: (some, all) => `${some} sur ${all}`,
    drawnBySite: 'puissance actuelle du site',
    drawnByNodes: 'puissance actuelle de tous les nœuds',
    planned: 'charge prévue en ce moment',
    noCap: 'réservés, plafond inconnu',
    aboveCap: (power) => `${power} au-dessus du plafond`,
    ofCap: 'réservés sous le plafond',
    ofCapLeft: (part) => `réservés sous le plafond, reste ${part}`,
    nodesBooked: 'nœuds réservés en ce moment',
    ofNodesBooked: (all) => `des ${all} nœuds réservés en ce moment`,
    nothingWaits: 'rien en attente',
    thingsWait: 'éléments en attente',
    asleep: (number) => form(number, 'nœud en veille', 'nœuds en veille'),
    asleepUntil: (number, when) => `${form(number, 'nœud en veille', 'nœuds en veille')}, premier réveil ${on(when)}`,
    saved: 'économisés ce mois-ci par rapport à un démarrage immédiat',
  },
};
