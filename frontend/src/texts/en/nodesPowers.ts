// The powers of nodes: their calibration against each other, and against what is measured.

import { count } from './count';

export const nodesPowers = {
  powers: {
    title: 'Idle and maximum power',
    idle: 'idle',
    maximum: 'maximum',
    standsOut: 'stands out',
    usual: (idleFrom: string, idleTo: string, maxFrom: string, maxTo: string) =>
      `These are the calibrated powers. Usual ones are ${idleFrom} to ${idleTo} W idle and ${maxFrom} to ${maxTo} W at maximum: ` +
      'no farther outside the quartiles than one and a half times the distance between these.',
    outliers: 'Nodes that stand out',
    noOutliers: 'None: every node draws about what the others do.',
    tableLabel: 'Table of nodes that stand out',
    columns: { node: 'Node', idle: 'Idle', maximum: 'Maximum', by: 'By its' },
    farthest: (all: string) => `The farthest out of ${all}.`,
  },
  figure: {
    by: { idle: 'idle power', max: 'maximum power' },
    both: (by: readonly string[]) => by.join(' and '),
  },
  powerFigure: {
    pointHint: 'Point at a node to read its powers.',
    group: (nodes: number, first: string) => `${count(nodes, 'node')} from ${first} on (mean)`,
    told: (who: string, idle: string, max: string) => `${who}: idle ${idle} W, maximum ${max} W`,
    standsOut: 'stands out',
    label: (nodes: number) =>
      `Idle and maximum power of ${count(nodes, 'node')}, in ascending order of idle power. Arrow keys go from node to node.`,
    axis: 'nodes, by idle power',
    title: (nodes: number) => `Idle and maximum power of ${count(nodes, 'node')}, by idle power`,
  },
  measured: {
    title: 'Measured against the calibration',
    tableLabel: 'Table of calibrations',
    columns: { node: 'Node', idle: 'Idle', maximum: 'Maximum', standing: 'Standing', decide: 'Decide' },
    errorsTitle: 'What was predicted, against what was measured',
    errorsLabel: 'Table of what was measured',
    errorColumns: { application: 'Application', runs: 'Runs', energy: 'Energy', cost: 'Cost' },
    errorsHint: 'Of the last 30 days. Above zero more was predicted than measured.',
    reservations: (reservations: number) => count(reservations, 'reservation'),
    notJudged: 'Nodes have not been judged by what is measured yet.',
    nodesDrifted: (nodes: number) => `${count(nodes, 'node')} drifted`,
    nodesUnlike: (nodes: number) => `${count(nodes, 'node')} unlike others of the kind`,
    nodesFailing: (nodes: number) => `${count(nodes, 'node')} not measured well`,
    nodesProposed: (nodes: number) => `new powers proposed for ${count(nodes, 'node')}`,
    allAsCalibrated: 'Every node draws what its calibration says.',
    faults: {
      unmeasured: 'nothing is measured any more',
      draws_nothing: 'draws next to nothing',
      implausible: 'draws more than it can',
      stuck: 'always the same power',
    },
    drifted: 'drifted',
    unlike: 'unlike its kind',
    proposed: 'new powers proposed',
    rejected: 'new powers rejected',
    against: (inForce: string, measured: string) => `${inForce}, measured ${measured}`,
    error: (mean: string, absolute: string) => `${mean} % (off by ${absolute} %)`,
    noApplication: 'no application named',
  },
  judge: {
    accept: 'Accept',
    acceptFor: (nodes: string) => `Accept for ${nodes}`,
    reject: 'Reject',
    rejectFor: (nodes: string) => `Reject for ${nodes}`,
    acceptAll: 'Accept all',
    confirmAcceptAll: 'Take all powers that are proposed?',
    yesAccept: 'Yes, take them',
    rejectAll: 'Reject all',
    confirmRejectAll: 'Reject all powers that are proposed?',
    yesReject: 'Yes, reject them',
    notYet: 'Not yet',
    accepted: (nodes: number) => `Taken: the proposed powers of ${count(nodes, 'node')} are in force.`,
    rejected: (nodes: number) => `Rejected: the powers of ${count(nodes, 'node')} stay as they are.`,
  },
};
