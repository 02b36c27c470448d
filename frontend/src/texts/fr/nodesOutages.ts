// Nodes that are out of service, or occupied by others.

import type { Texts } from '../language.svelte';
import { count } from './count';
import { on } from './when';

export const nodesOutages: Pick<Texts['nodes'], 'outages' | 'outageForm' | 'occupied' | 'slurm'> = {
  outages: {
    declareTitle: 'Mettre des nœuds hors service',
    declared: (nodes, time) => `C’est déclaré : ${count(nodes, 'nœud')} hors service, ${time}.`,
    title: 'Hors service',
    none: 'Aucun nœud n’est hors service, ni ne doit l’être.',
    listLabel: 'Indisponibilités',
    toCome: 'À venir',
    outNow: 'En cours',
    nodes: (nodes) => count(nodes, 'nœud'),
    colon: ' :',
    noReason: 'sans motif',
    change: 'Modifier',
    changeOf: (nodes) => `Modifier l’indisponibilité : ${nodes}`,
    takeBack: 'Annuler',
    end: 'Terminer',
    ofNodes: (nodes) => `l’indisponibilité : ${nodes}`,
    confirmTakeBack: 'Annuler cette indisponibilité ?',
    confirmEnd: 'Remettre ces nœuds en service ?',
    yesTakeBack: 'Oui, l’annuler',
    yesEnd: 'Oui, terminer',
    slurmTells: 'Elle vient de Slurm : c’est là qu’il faut y mettre fin.',
    holders: (reservations) =>
      reservations < 2
        ? `${count(reservations, 'réservation')} en occupe et n’a pas de nœuds de remplacement :`
        : `${count(reservations, 'réservation')} en occupent et n’ont pas de nœuds de remplacement :`,
    changed: (nodes, time) => `C’est modifié : ${count(nodes, 'nœud')} hors service, ${time}.`,
    takenBack: 'C’est annulé : les nœuds restent en service.',
    ended: 'C’est terminé : les nœuds sont de nouveau en service.',
    outages: (outages) => count(outages, 'indisponibilité'),
    dateAndTime: 'Une date et une heure.',
    timeToCome: 'Une heure à venir.',
    timeAfterStart: 'Une heure après le début.',
    sayWhy: 'Indiquez le motif : ceux qui perdent des nœuds le liront.',
    displacesNone: 'Aucune réservation n’occupe ces nœuds sur cette période.',
    changeDisplacesNone: 'La modification ne prend de nœuds à aucune réservation qui ne les avait pas déjà perdus.',
    changeDisplaces: (reservations, running) =>
      `La modification prend des nœuds à ${count(reservations, 'réservation')}${running > 0 ? `, dont ${count(running, 'en cours', 'en cours')},` : ''} ` +
      `qui ne les ${reservations < 2 ? 'avait' : 'avaient'} pas déjà perdus. En quelques secondes, chacune reçoit d’autres nœuds ` +
      's’il y en a ; sinon, son propriétaire est averti et reçoit d’autres créneaux.',
    displaces: (reservations, running) =>
      `${count(reservations, 'réservation')}${running > 0 ? `, dont ${count(running, 'en cours', 'en cours')},` : ''} ` +
      `${reservations < 2 ? 'occupe' : 'occupent'} certains de ces nœuds. En quelques secondes, chacune reçoit d’autres nœuds ` +
      's’il y en a ; sinon, son propriétaire est averti et reçoit d’autres créneaux.',
    from: (start) => `dès ${on(start)}, fin inconnue`,
    since: (start) => `depuis ${on(start)}, fin inconnue`,
  },
  outageForm: {
    changeLabel: 'Modifier une indisponibilité',
    declareLabel: 'Déclarer une indisponibilité',
    nodes: 'Nœuds',
    nodesHint: 'comme dans Slurm : n1,n[4-7]',
    why: 'Motif',
    whyHint: 'Ceux qui perdent des nœuds le liront.',
    from: 'Début',
    fromHint: (zone) => `vide : dès maintenant ; ${zone}`,
    until: 'Fin',
    untilHint: 'vide : jusqu’à nouvel ordre',
    noSuchNode: (names) => `Nœud inconnu : ${names}.`,
    tableLabel: 'Tableau des réservations touchées',
    columns: { whose: 'Propriétaire', when: 'Quand', state: 'État', nodes: 'Nœuds touchés' },
    first: (shown, all) => `Les ${shown} premières sur ${all}.`,
    toldLater: 'Les réservations touchées seront connues après la déclaration : il y a plus de nœuds que la page n’en lit.',
    looking: 'Recherche des réservations touchées…',
    change: 'Modifier',
    takeOut: 'Mettre hors service',
    confirm: (nodes, reservations) => {
      if (reservations === 0) return `Mettre ${count(nodes, 'nœud')} hors service ?`;
      const occupy = reservations < 2 ? 'occupe' : 'occupent';
      return `Mettre hors service ${count(nodes, 'nœud')} qu’${occupy} ${count(reservations, 'réservation')} ?`;
    },
    confirmChange: (reservations) =>
      reservations > 0 ? `Modifier, ce qui prend des nœuds à ${count(reservations, 'réservation')} ?` : 'Modifier ?',
    nothingChanged: 'Rien n’a encore été modifié.',
    yesChange: 'Oui, modifier',
    yesTakeOut: 'Oui, mettre hors service',
    notYet: 'Pas encore',
    leave: 'Laisser tel quel',
  },
  occupied: {
    title: 'Occupés par d’autres',
    colon: ' :',
    firstBefore: 'Les 20 premiers ; les autres sont dans',
  },
  slurm: {
    notAsked: (slurm) => `${slurm} n’a pas encore été interrogé`,
    failing: (slurm, state) => `${slurm} ne répond pas comme il devrait (${state})`,
    because: (what, why) => `${what} : ${why}.`,
    answers: (slurm) => `${slurm} répond.`,
    nobodyElse: (slurm) => `${slurm} répond. Aucun travail ni aucune réservation d’autrui n’occupe de nœuds.`,
    occupied: (slurm, nodes, jobs, reservations) => {
      const others = [
        jobs > 0 ? count(jobs, 'travail', 'travaux') : '',
        reservations > 0 ? count(reservations, 'réservation') : '',
      ].filter((it) => it !== '');
      const occupied = count(nodes, 'nœud est occupé', 'nœuds sont occupés');
      return `${slurm} répond. ${occupied} par ${others.join(' et ')} d’autrui, maintenant ou plus tard.`;
    },
    since: (start) => `depuis ${on(start)}, fin inconnue`,
    by: (who) => `déclaré par ${who}`,
  },
};
