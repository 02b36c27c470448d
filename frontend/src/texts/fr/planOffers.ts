import type { planOffers as English } from '../en/planOffers';
import { count } from './count';
import { list } from './list';
import { on } from './when';

const LEAST = 'de tous les créneaux, c’est celui qui sacrifie le moins sur le coût, le CO₂, l’énergie et l’attente';
const starts = (number: number) => count(number, 'créneau', 'créneaux');

export const planOffers: typeof English = {
  offers: {
    held: (left) => `Offres retenues pour vous, encore ${left}`,
    optimum: 'Un créneau est le meilleur sur tous les plans',
    title: 'Quand démarrer',
    giveBack: 'Libérer',
    nothingHeld: 'Rien n’est retenu tant que vous n’avez ni réservé ni retenu d’offre.',
    workingOut: 'Calcul en cours…',
    asOf: (time) => `état à ${time}`,
    holdAll: 'Tout retenir en attendant',
    undoable: (why) => `${why} Libérez-les pour calculer la nouvelle demande, ou annulez la modification pour en réserver une.`,
    undo: 'Annuler la modification',
    recommended: 'Recommandé',
    now: 'Maintenant, ou au plus tôt',
    counted: (words) => `CO₂ des offres : ${words}.`,
    others: 'Les meilleures sur un seul critère',
    data: 'Données :',
  },
  offer: {
    named: (letter) => `Offre ${letter} :`,
    fromTo: (start, end) => `du ${start} au ${end}`,
    bestBy: (ranking) => `La meilleure selon : ${ranking}.`,
    nodes: (nodes) => count(nodes, 'nœud'),
    atMost: (power) => `${power} au plus`,
    between: ' ; ',
    startsAtOnce: 'démarre tout de suite',
    startsIn: (length) => `démarre dans ${length}`,
    book: (letter) => `Réserver ${letter}`,
  },
  choices: {
    goodAtEverything: 'Bonne en tout',
    asSoonAsPossible: 'Au plus tôt',
    bestInEverything: 'C’est le meilleur sur tous les plans : aucun autre créneau ne coûte moins, n’émet moins ni ne consomme moins.',
    nothingGained: `Attendre n’apporterait rien qui en vaille la peine : ${LEAST}.`,
    less: {
      cost: (share) => `${share || 'une part'} du coût`,
      co2_g: (share) => `${share || 'une part'} du CO₂`,
      energy_j: (share) => `${share || 'une part'} de l’énergie`,
    },
    more: {
      cost: (share) => (share ? `${share} de coût en plus` : 'plus d’argent'),
      co2_g: (share) => (share ? `${share} de CO₂ en plus` : 'plus de CO₂'),
      energy_j: (share) => (share ? `${share} d’énergie en plus` : 'plus d’énergie'),
    },
    waiting: (wait, less, more) => {
      const gain = less.length > 0 ? `économise ${list(less)}` : 'n’économise rien de notable';
      return `Attendre ${wait} ${gain} par rapport à un démarrage immédiat${more.length > 0 ? `, mais demande ${list(more)}` : ''} ; ${LEAST}.`;
    },
    notAlone: 'Ce créneau est à vitesse réduite et n’est premier d’aucun classement : il ne peut pas être réservé seul. Réservez-en un voisin, ou demandez la pleine vitesse.',
  },
  figures: {
    cost: 'Coût',
    co2: 'CO₂',
    energy: 'Énergie',
    likely: (exact, low, high) => `${exact} ; estimé, probablement de ${low} à ${high}`,
  },
  freshness: {
    quantities: { price: 'prix', co2: 'CO₂', power_cap: 'plafond' },
    justNow: (quantity) => `${quantity} à l’instant`,
    old: (quantity, age) => `${quantity} d’il y a ${age}`,
    good: (quantity, standing) => `${quantity} ${standing}`,
    doubtful: (quantity, standing) => `${quantity} : ${standing}`,
    qualities: { measured: 'mesure', forecast: 'prévision', estimated: 'estimation' },
    detail: (quantity, source, standing, quality, received) =>
      `${quantity}${source ? ` (${source})` : ''} : ${standing}, ${quality}${received ? `, reçue ${on(received)}` : ''}`,
  },
  standing: {
    title: 'Effet sur votre cote',
    now: (factor) => `Elle est actuellement de ${factor} sur 1. Qui a consommé moins que sa part a une meilleure cote.`,
    nowIn: (factor, parent) => `Elle est actuellement de ${factor} sur 1 dans ${parent}. Qui a consommé moins que sa part a une meilleure cote.`,
    account: 'Mon compte',
    accountAfter: 'en dit plus.',
    stays: (factor) => `Cote : reste à ${factor}`,
    changes: (after, now) => `Cote : ${after} ensuite, ${now} maintenant`,
  },
  explanation: {
    title: 'Pourquoi pas plus tôt ?',
    learnt: (percent, runs, application) =>
      `Prévu avec une charge de ${percent} %, d’après ${count(runs, 'exécution précédente', 'exécutions précédentes')} de ${application}.`,
    missingNodes: (excluded, missing, during) =>
      `Pas assez de nœuds libres pour ${starts(excluded)}. Au plus près, il manquait ${count(missing, 'nœud')}, ${during}.`,
    missingPower: (excluded, missing, during) =>
      `Le plafond de puissance est trop bas pour ${starts(excluded)}. Au plus près, il manquait ${missing}, ${during}.`,
    unknown: {
      price: 'Prix inconnu',
      co2: 'Intensité CO₂ inconnue',
      power_cap: 'Plafond de puissance inconnu',
      other: 'Donnée inconnue',
    },
    missingAgenda: (unknown, excluded, during) => `${unknown} pour ${starts(excluded)} (${during}).`,
    noSlot: (every, before, after) =>
      `Les réservations commencent toutes les ${every}, et aucun de ces débuts n’est dans la période demandée. ` +
      (before ? `Les plus proches : ${before} et ${after}.` : `Le prochain : ${after}.`),
    waysOut: {
      no_slot: 'Permettez un début un peu plus tôt ou plus tard, pour que l’un d’eux convienne.',
      nodes: 'Demandez moins de nœuds, ou attendez que d’autres se libèrent.',
      power_cap: 'Demandez moins de nœuds, attendez un plafond plus haut, ou demandez plus de puissance au fournisseur.',
      agenda_gap: 'Choisissez une période couverte, ou demandez au site de publier cette donnée.',
      quota: 'Libérez ce que vous retenez sans en avoir besoin, demandez moins, ou choisissez un autre moment.',
      other: 'Demandez moins, ou choisissez un autre moment.',
    },
    nothingBefore: (when) => `Rien ne peut démarrer avant ${on(when)}.`,
    isFirst: (letter) => `${letter} est le premier créneau possible.`,
    moreCost: (cost) => `${cost} de plus`,
    moreCo2: (co2) => `${co2} de CO₂ de plus`,
    moreEnergy: (energy) => `${energy} de plus`,
    waits: (letter, wait, first, more) =>
      `${letter} attend ${wait} : démarrer ${on(first)} ${more.length > 0 ? `demanderait ${list(more)}` : 'ne ferait rien économiser'}.`,
    hourCheaper: (cost) => `Une heure d’attente de plus ferait baisser le moins cher de ${cost}.`,
    hourCleaner: (co2) => `Une heure d’attente de plus épargnerait encore ${co2} de CO₂ au plus propre.`,
    hourNothing: 'Une heure d’attente de plus ne rendrait rien moins cher ni plus propre.',
  },
};
