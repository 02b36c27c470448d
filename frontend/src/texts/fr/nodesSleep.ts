// Nodes that are switched to save energy.

import type { Texts } from '../language.svelte';
import { count } from './count';
import { on, to } from './when';

const which = (names: readonly string[]) => (names.length === 1 ? names.join('') : count(names.length, 'nœud'));

export const nodesSleep: Pick<Texts['nodes'], 'sleep' | 'switchForm' | 'nodePower'> = {
  sleep: {
    title: 'Mises en veille et réveils',
    approveAll: 'Tout approuver',
    confirmApproveAll: (waiting) => `Approuver les ${waiting} demandes en attente ?`,
    yesApprove: 'Oui, approuver',
    notYet: 'Pas encore',
    noneBefore: 'Aucune mise en veille n’est en cours ni proposée. La section',
    noneAfter: 'de la configuration dit quels nœuds peuvent être mis en veille, et par qui.',
    tableLabel: 'Tableau des nœuds en veille ou qui pourraient y être mis',
    columns: { node: 'Nœud', what: 'Action', saves: 'Économie', state: 'État', decide: 'Décision' },
    whyNot: 'Motif du refus',
    whyNotHint: 'motif, facultatif',
    refuseIt: 'Refuser',
    approve: 'Approuver',
    approveFor: (node) => `Approuver pour ${node}`,
    refuse: 'Refuser',
    refuseFor: (node) => `Refuser pour ${node}`,
    firstBefore: (shown) => `Les ${shown} premières ;`,
    firstAfter: 'les donne toutes.',
    operatorsBefore: 'La décision revient aux opérateurs et à ceux que le site désigne pour ces nœuds, avec',
    held: 'Nœuds maintenus allumés',
    endHold: 'Lever le maintien',
    endHoldOf: (node) => `Lever le maintien du nœud ${node}`,
    firstHolds: (shown, all) => `Les ${shown} premiers sur ${all}.`,
    switchTitle: 'Éteindre ou réveiller des nœuds',
    approved: (names) => `C’est approuvé pour ${which(names)} : l’ordre sera donné le moment venu.`,
    refused: (node) => `C’est refusé : ${node} reste tel quel.`,
    released: (node) => `${node} peut de nouveau être éteint.`,
    co2: (amount) => `${amount} de CO₂`,
    limited: (power, when) => `limite de ${power} ${on(when)}`,
    lifted: (when) => `fin de la limite de puissance ${on(when)}`,
    woken: (when) => `réveil ${on(when)}`,
    asleep: (span) => `en veille ${span}`,
    switchedOff: (when) => `extinction ${on(when)}`,
    states: {
      proposed: 'attend une approbation',
      waiting: 'ordre pas encore donné',
      ordered: 'ordre donné, effet pas encore constaté',
      failed: 'ordre sans effet ; il est redonné',
    },
    forReservation: (state) => `${state}, pour une réservation`,
    askedBy: (state, who) => `${state}, demandé par ${who}`,
    because: (state, why) => `${state} : ${why}`,
    staysOn: (until, who) => `reste allumé jusqu’${to(until)}, à la demande de ${who}`,
    wait: (sleeps) => `${count(sleeps, 'mise en veille attend', 'mises en veille attendent')} une approbation.`,
    waitAndSave: (sleeps, saved) =>
      sleeps < 2
        ? `${count(sleeps, 'mise en veille')} attend une approbation et économiserait ${saved}.`
        : `${count(sleeps, 'mise en veille', 'mises en veille')} attendent une approbation et économiseraient ${saved}.`,
  },
  switchForm: {
    label: 'Éteindre ou réveiller des nœuds',
    nodes: 'Nœuds',
    nodesHint: 'comme dans Slurm : n1,n[4-7]',
    whatToDo: 'Action',
    choices: {
      off: 'les éteindre dès que personne ne les utilise',
      wake: 'les réveiller et les maintenir allumés une heure',
      hold: 'les maintenir allumés un certain temps',
    },
    buttons: { off: 'Éteindre', wake: 'Réveiller', hold: 'Maintenir allumés' },
    howLong: 'Durée',
    confirmOff: (nodes) => `Éteindre ${count(nodes, 'nœud')} ? Rien de ce qui tourne n’est interrompu.`,
    yesOff: 'Oui, éteindre',
    notYet: 'Pas encore',
    askedOff: (names) =>
      `Extinction demandée : ${which(names)}, dès que personne ne ${names.length < 2 ? 'l’utilise' : 'les utilise'}. ` +
      'D’ici là, elle peut être refusée dans la liste.',
    askedWake: (names) => `Réveil demandé : ${which(names)}, avec maintien pendant une heure.`,
    keptOn: (names, until) => `Maintien demandé : ${which(names)}, jusqu’${to(until)}.`,
  },
  nodePower: {
    title: 'Mises en veille et réveils',
    saves: (state, saved) => `${state} ; économise ${saved}`,
    itsReservation: 'sa réservation',
    it: (staysOn) => `Il ${staysOn}`,
  },
};
