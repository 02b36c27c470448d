// Reservations that repeat.

import type { Texts } from '../language.svelte';
import { count } from './count';
import { on } from './when';

export const series: Texts['reservations']['series'] = {
  states: { running: 'En cours', completed: 'Terminée', ended: 'Arrêtée', refused: 'Refusée' },
  occurrenceStates: {
    waiting: 'À planifier',
    booked: 'Confirmée',
    impossible: 'Impossible pour l’instant',
    left_out: 'Ignorée',
    ended: 'Abandonnée',
  },
  at: (time) => `début\u00a0: ${time}`,
  toStart: (times) => `début possible\u00a0: ${times}`,
  asked: (nodes, length) => `${count(nodes, 'nœud')} pendant ${length}`,
  totals: {
    all: (times, parts) => `${count(times, 'occurrence')}\u00a0: ${parts}`,
    booked: (times) => count(times, 'confirmée'),
    waiting: (times) => count(times, 'à planifier', 'à planifier'),
    impossible: (times) => `${count(times, 'impossible')} pour l’instant`,
    left_out: (times) => count(times, 'ignorée'),
    ended: (times) => count(times, 'abandonnée'),
  },

  card: {
    each: (choose, zone) => `chaque fois ${choose} (${zone})`,
    eachUntil: (day, choose, zone) => `jusqu’au ${day}, chaque fois ${choose} (${zone})`,
    cost: 'Coût',
    co2: 'CO₂',
    energy: 'Énergie',
    open: 'Occurrences',
    close: 'Fermer',
    end: 'Arrêter',
    reallyEnd: 'Vraiment\u00a0? Ce qui n’a pas commencé est annulé\u00a0; ce qui tourne va jusqu’au bout.',
    yesEnd: 'Oui, arrêter',
    ended: 'Arrêtée\u00a0: ce qui n’avait pas commencé est annulé.',
  },

  details: {
    newer: 'Elle a été modifiée entre-temps\u00a0: rien n’a été fait. Voici son état actuel.',
    change: 'Modifier la suite',
    table: 'Occurrences de la série',
    eachTime: 'Occurrences',
    when: 'Quand',
    state: 'État',
    cost: 'Coût',
    leaveOut: 'Ignorer',
    changedByItself: ', modifiée à part',
    triedAgain: (when) => `nouvel essai ${on(when)}`,
    really: 'Vraiment\u00a0?',
    yesLeaveOut: 'Oui, ignorer',
    leftOut: 'Ignorée\u00a0: les autres restent.',
    nothingToCome: 'Plus rien à venir.',
    showAll: (times) => `Afficher les ${times}`,
    reading: 'Lecture des occurrences…',
  },

  form: {
    title: 'Modifier la suite',
    planned:
      'La suite est replanifiée\u00a0; chaque occurrence garde ce qu’elle a jusqu’à ce que le nouveau soit acquis. Ce qui a commencé reste, comme ce qui a été modifié à part.',
    nodes: 'Nœuds',
    duration: 'Durée',
    eachTime: 'Chaque fois',
    change: 'Modifier',
    leave: 'Ne rien changer',
    changed: 'Modifiée\u00a0: la suite est replanifiée.',
  },

  list: {
    nothing: 'Rien ne se répète. Choisissez «\u00a0Répéter\u00a0» en planifiant\u00a0: chaque occurrence est planifiée dans sa propre fenêtre.',
    plan: 'Planifier',
    reading: 'Lecture des séries…',
  },
};
