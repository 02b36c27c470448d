// The powers of nodes: their calibration against each other, and against what is measured.

import type { Texts } from '../language.svelte';
import { count } from './count';

export const nodesPowers: Pick<Texts['nodes'], 'powers' | 'figure' | 'powerFigure' | 'measured' | 'judge'> = {
  powers: {
    title: 'Puissance au repos et maximale',
    idle: 'repos',
    maximum: 'maximum',
    standsOut: 'atypique',
    usual: (idleFrom, idleTo, maxFrom, maxTo) =>
      `Ce sont les puissances calibrées. Les valeurs usuelles vont de ${idleFrom} à ${idleTo} W au repos ` +
      `et de ${maxFrom} à ${maxTo} W au maximum : elles ne s’éloignent pas des quartiles de plus d’une fois et demie l’écart interquartile.`,
    outliers: 'Nœuds atypiques',
    noOutliers: 'Aucun : tous les nœuds consomment à peu près autant.',
    tableLabel: 'Tableau des nœuds atypiques',
    columns: { node: 'Nœud', idle: 'Repos', maximum: 'Maximum', by: 'Atypique par sa' },
    farthest: (all) => `Les plus éloignés sur ${all}.`,
  },
  figure: {
    by: { idle: 'puissance au repos', max: 'puissance maximale' },
    both: (by) => by.join(' et '),
  },
  powerFigure: {
    pointHint: 'Pointez un nœud pour lire ses puissances.',
    group: (nodes, first) => `${count(nodes, 'nœud')} à partir de ${first} (moyenne)`,
    told: (who, idle, max) => `${who} : repos ${idle} W, maximum ${max} W`,
    standsOut: 'atypique',
    label: (nodes) =>
      `Puissance au repos et maximale de ${count(nodes, 'nœud')}, par puissance au repos croissante. ` +
      'Les flèches passent d’un nœud à l’autre.',
    axis: 'nœuds, par puissance au repos',
    title: (nodes) => `Puissance au repos et maximale de ${count(nodes, 'nœud')}, par puissance au repos`,
  },
  measured: {
    title: 'Mesures comparées au calibrage',
    tableLabel: 'Tableau des calibrages',
    columns: { node: 'Nœud', idle: 'Repos', maximum: 'Maximum', standing: 'Constat', decide: 'Décision' },
    errorsTitle: 'Prévisions comparées aux mesures',
    errorsLabel: 'Tableau des mesures',
    errorColumns: { application: 'Application', runs: 'Exécutions', energy: 'Énergie', cost: 'Coût' },
    errorsHint: 'Sur les 30 derniers jours. Au-dessus de zéro, la prévision dépasse la mesure.',
    reservations: (reservations) => count(reservations, 'réservation'),
    notJudged: 'Les nœuds n’ont pas encore été comparés aux mesures.',
    nodesDrifted: (nodes) => `${count(nodes, 'nœud a', 'nœuds ont')} dérivé`,
    nodesUnlike: (nodes) => count(nodes, 'nœud différent de ses semblables', 'nœuds différents de leurs semblables'),
    nodesFailing: (nodes) => count(nodes, 'nœud mal mesuré', 'nœuds mal mesurés'),
    nodesProposed: (nodes) => `nouvelles puissances proposées pour ${count(nodes, 'nœud')}`,
    allAsCalibrated: 'Chaque nœud consomme ce qu’annonce son calibrage.',
    faults: {
      unmeasured: 'plus aucune mesure',
      draws_nothing: 'ne consomme presque rien',
      implausible: 'consomme plus que possible',
      stuck: 'puissance toujours identique',
    },
    drifted: 'a dérivé',
    unlike: 'différent de ses semblables',
    proposed: 'nouvelles puissances proposées',
    rejected: 'nouvelles puissances rejetées',
    against: (inForce, measured) => `${inForce}, mesuré : ${measured}`,
    error: (mean, absolute) => `${mean} % (écart de ${absolute} %)`,
    noApplication: 'application non précisée',
  },
  judge: {
    accept: 'Accepter',
    acceptFor: (nodes) => `Accepter pour ${nodes}`,
    reject: 'Rejeter',
    rejectFor: (nodes) => `Rejeter pour ${nodes}`,
    acceptAll: 'Tout accepter',
    confirmAcceptAll: 'Accepter toutes les puissances proposées ?',
    yesAccept: 'Oui, accepter',
    rejectAll: 'Tout rejeter',
    confirmRejectAll: 'Rejeter toutes les puissances proposées ?',
    yesReject: 'Oui, rejeter',
    notYet: 'Pas encore',
    accepted: (nodes) => `C’est accepté : les puissances proposées pour ${count(nodes, 'nœud')} sont en vigueur.`,
    rejected: (nodes) => `C’est rejeté : les puissances de ${count(nodes, 'nœud')} restent inchangées.`,
  },
};
