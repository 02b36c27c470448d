// The page of nodes, and their table.

import type { Texts } from '../language.svelte';
import { count } from './count';

export const nodesTable: Pick<Texts['nodes'], 'nodes' | 'table' | 'nodeTable' | 'nodeList'> = {
  nodes: {
    title: 'Nœuds',
    which: 'Vue',
    tabs: { table: 'Nœuds', outages: 'Hors service', switching: 'Veille et puissance', calibration: 'Calibrage' },
    noneBefore: 'Aucun nœud pour l’instant. Un opérateur les déclare avec',
    together: 'Total',
    nodes: (nodes) => (nodes < 2 ? 'nœud' : 'nœuds'),
    allIdle: 'tous au repos',
    allAtMaximum: 'tous au maximum',
    standOut: () => 'de puissance atypique',
  },
  table: {
    states: {
      out: 'Hors service',
      asleep: 'En veille',
      waking: 'Réveil en cours',
      sleeping: 'Extinction en cours',
      used: 'Utilisé',
      held: 'Retenu par une offre',
      occupied: 'Occupé par d’autres',
      free: 'Libre',
    },
  },
  nodeTable: {
    title: 'État actuel des nœuds',
    csv: 'Tableau (CSV)',
    state: 'État',
    allStates: 'tous',
    partition: 'Partition',
    allPartitions: 'toutes',
    search: 'Rechercher',
    searchHint: 'nom, propriétaire, caractéristique, motif',
    seesFirst: (nodes, all) => `La recherche, les filtres et le tri portent sur les ${count(nodes, 'premier nœud', 'premiers nœuds')} sur ${all}.`,
    readingSome: (read, nodes) => `Lecture en cours : ${read} sur ${count(nodes, 'nœud')}…`,
    reading: 'Lecture des nœuds…',
    noneLikeThat: 'Aucun nœud ne correspond.',
    showAll: 'Tout afficher',
    tableLabel: 'Tableau des nœuds',
    columns: {
      name: 'Nœud',
      partition: 'Partition',
      state: 'État',
      who: 'Occupé par',
      power: 'Puissance actuelle',
      range: 'Repos et maximum',
      calibration: 'Mesuré / calibré',
    },
    limited: (watts) => `limité à ${watts} W`,
    drawn: { measured: 'mesurés', planned: 'prévus', idle: 'estimés' },
    drawnHint: {
      measured: 'mesurés, en moyenne sur les nœuds de sa réservation',
      planned: 'prévus, en moyenne sur les nœuds de sa réservation',
      idle: 'estimés : sa puissance au repos',
    },
    notKnown: 'inconnue',
    range: (idle, max) => `${idle} à ${max} W`,
    nodes: (nodes) => count(nodes, 'nœud'),
    explained:
      'La puissance est mesurée ou prévue en moyenne sur les nœuds d’une réservation ; celle d’un nœud libre est estimée à sa puissance ' +
      'au repos. « Mesuré / calibré » rapporte ce qu’indique le compteur d’un nœud à ce qu’annonce son calibrage.',
  },
  nodeList: {
    names: 'Des noms de nœuds, par exemple n1,n[4-7].',
    tooMany: (most) => `Cela fait plus de ${most} nœuds.`,
    bracketInside: 'Un crochet est ouvert à l’intérieur d’autres crochets.',
    bracketNotOpened: 'Un crochet est fermé sans avoir été ouvert.',
    bracketNotClosed: 'Un crochet n’est pas fermé.',
    patternTooLarge: (pattern, most) => `${pattern} désigne plus de ${most} nœuds.`,
    noRange: (range) => `« ${range} » n’est ni un nombre ni une plage telle que 4-7.`,
    rangeBackwards: (range) => `La plage ${range} finit avant de commencer.`,
    rangeTooLarge: (range, most) => `La plage ${range} désigne plus de ${most} nœuds.`,
  },
};
