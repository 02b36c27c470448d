// The page of one node.

import type { Texts } from '../language.svelte';
import { count } from './count';
import { on } from './when';

export const nodesNode: Pick<
  Texts['nodes'],
  'readNode' | 'nodePage' | 'activity' | 'nodeActivity' | 'calibrations' | 'nodeCalibration'
> = {
  readNode: {
    none: (name) => `Il n’y a pas de nœud « ${name} ».`,
  },
  nodePage: {
    title: (name) => `Nœud ${name}`,
    whatItIs: 'Description',
    idle: 'au repos',
    atMaximum: 'au maximum',
    coefficient: 'coefficient propre',
    partitions: (partitions) => (partitions < 2 ? 'partition' : 'partitions'),
    features: 'caractéristiques',
    processors: (processors) => count(processors, 'processeur'),
    memory: (gibibytes) => `et ${gibibytes} Gio, selon Slurm`,
    memoryAndMore: (gibibytes, resources) => `et ${gibibytes} Gio, selon Slurm ; ${resources}`,
    position: 'position, à partir de 0',
    outOfService: 'Hors service',
    occupied: 'Occupé par d’autres',
  },
  activity: {
    actions: { off: 'extinction', wake: 'réveil', limit: 'limite de puissance', lift: 'fin de la limite de puissance' },
    deeds: {
      proposed: 'Proposition',
      asked: 'Demande',
      changed: 'Modification',
      approved: 'Approbation',
      refused: 'Refus',
      ordered: 'Ordre donné',
      failed: 'Ordre sans effet',
      done: 'Effectué',
      given_up: 'Abandon',
      held: 'Maintenu allumé',
      released: 'Peut de nouveau être éteint',
    },
    about: (deed, action) => `${deed} : ${action}`,
    service: 'le service',
    reservation: (state) => `Réservation : ${state}`,
    outOfService: 'Hors service',
  },
  nodeActivity: {
    title: 'Activité passée et à venir',
    backAndAhead: 'Avant et après',
    spans: { day: 'un jour', week: 'une semaine', fourWeeks: 'quatre semaines' },
    takeOut: 'Mettre hors service',
    reading: 'Lecture de son activité…',
    lanes: { booked: 'Réservé', held: 'Retenu par des offres', out: 'Hors service' },
    told: { booked: 'réservé', held: 'retenu par des offres', out: 'hors service', free: 'libre' },
    measured: (watts) => `${watts} W mesurés`,
    chart: (name) => `Activité du nœud ${name} au fil du temps : réservé, retenu, hors service.`,
    chartWithPower: (name) => `Activité du nœud ${name} au fil du temps : réservé, retenu, hors service, et sa puissance.`,
    pointHint: 'Pointez un instant pour lire ce qu’il en était.',
    measuredPower: 'Puissance mesurée',
    toldToOperators: 'Les mesures des compteurs sont réservées aux opérateurs.',
    noMeter: 'Aucun compteur ne l’a mesuré sur cette période.',
    nothingKnown: 'Rien à signaler sur cette période : personne ne l’a eu, rien ne l’a éteint ni réveillé.',
    tableLabel: (name) => `Tableau de l’activité du nœud ${name}`,
    columns: { when: 'Quand', what: 'Quoi', who: 'Qui', why: 'Pourquoi' },
    from: (start) => `dès ${on(start)}`,
    latest: (shown, all) => `Les ${shown} dernières lignes sur ${all}.`,
    knownSince:
      'Les réservations sont connues depuis la dernière déclaration ou le dernier calibrage des nœuds. ' +
      'Les indisponibilités terminées ne figurent que sur le graphique.',
  },
  calibrations: {
    sources: { samples: 'échantillons envoyés', meters: 'mesures des compteurs' },
    restsOn: (source, idle, max, outliers) =>
      `${source} : ${idle} au repos, ${max} au maximum${outliers > 0 ? `, ${count(outliers, 'écarté')}` : ''}`,
  },
  nodeCalibration: {
    title: 'Historique du calibrage',
    reading: 'Lecture de son calibrage…',
    finding: (idle, max, said) => `Au repos ${idle} ; au maximum ${max} : ${said}.`,
    error: (error, quarters) => `Erreur du calibrage : ${error}, sur ${count(quarters, 'quart d’heure', 'quarts d’heure')}.`,
    proposed: (when, idle, max) => `Proposées ${on(when)} : ${idle} W au repos, ${max} W au maximum.`,
    rejected: (when, idle, max) => `Rejetées ${on(when)} : ${idle} W au repos, ${max} W au maximum.`,
    neverBefore: 'Il n’a jamais été calibré : ses puissances sont celles de sa déclaration.',
    neverAfter: 'reçoit les échantillons.',
    asCalibrated: 'conforme au calibrage',
    notCalibrated: 'pas encore calibré',
    told: (idle, max) => `repos ${idle} · maximum ${max}`,
    chart: (name) => `Puissance calibrée du nœud ${name}, au repos et maximale, au fil du temps, en pourcentage du dernier calibrage.`,
    pointHint: 'Pointez un instant pour lire ses valeurs.',
    idleStrip: 'Puissance au repos, écart en % au dernier calibrage',
    maxStrip: 'Puissance maximale, écart en % au dernier calibrage',
    tableLabel: (name) => `Tableau des calibrages du nœud ${name}`,
    columns: { when: 'Quand', idle: 'Repos', max: 'Maximum', restsOn: 'Fondé sur' },
    newestBefore: (shown, all) => `Les ${shown} plus récents sur ${all} ;`,
    newestAfter: 'les donne tous.',
  },
};
