// Nodes that are out of service, or occupied by others.

import { count } from './count';

export const nodesOutages = {
  outages: {
    declareTitle: 'Take nodes out of service',
    declared: (nodes: number, time: string) => `Declared: ${count(nodes, 'node')} out of service, ${time}.`,
    title: 'Out of service',
    none: 'No node is out of service, or is going to be.',
    listLabel: 'Outages',
    toCome: 'To come',
    outNow: 'Out now',
    nodes: (nodes: number) => count(nodes, 'node'),
    /** Before what is said of nodes. */
    colon: ':',
    noReason: 'no reason given',
    change: 'Change',
    changeOf: (nodes: string) => `Change the outage of ${nodes}`,
    takeBack: 'Take it back',
    end: 'End it now',
    /** Follows what a button does, such as `takeBack`. */
    ofNodes: (nodes: string) => `the outage of ${nodes}`,
    confirmTakeBack: 'Take this outage back?',
    confirmEnd: 'Put these nodes into service again?',
    yesTakeBack: 'Yes, take it back',
    yesEnd: 'Yes, end it',
    slurmTells: 'Slurm tells of it: it ends there.',
    /** Before the names of these reservations. */
    holders: (reservations: number) =>
      `${count(reservations, 'reservation holds', 'reservations hold')} some of them and ${reservations === 1 ? 'has' : 'have'} no others:`,
    changed: (nodes: number, time: string) => `Changed: ${count(nodes, 'node')} out of service, ${time}.`,
    takenBack: 'Taken back: the nodes stay in service.',
    ended: 'Ended: the nodes are in service again.',
    outages: (outages: number) => count(outages, 'outage'),
    dateAndTime: 'A date and a time.',
    timeToCome: 'A time to come.',
    timeAfterStart: 'A time after the start.',
    sayWhy: 'Say why: those who lose nodes read it.',
    displacesNone: 'No reservation holds any of these nodes in that time.',
    changeDisplacesNone: 'The change takes nodes from no reservation that did not lose them before.',
    changeDisplaces: (reservations: number, running: number) =>
      `The change takes nodes from ${count(reservations, 'reservation')}${running > 0 ? `, ${count(running, 'of which runs now,', 'of which run now,')}` : ''} ` +
      `that did not lose them before. Within seconds each gets other nodes where there are some; ` +
      'else its owner is told and gets other starts.',
    displaces: (reservations: number, running: number) =>
      `${count(reservations, 'reservation')}${running > 0 ? `, ${count(running, 'of which runs now,', 'of which run now,')}` : ''} ` +
      `${reservations === 1 ? 'holds' : 'hold'} some of these nodes. Within seconds each gets other nodes where there are some; ` +
      'else its owner is told and gets other starts.',
    from: (start: string) => `from ${start}, no end known`,
    since: (start: string) => `since ${start}, no end known`,
  },
  outageForm: {
    changeLabel: 'Change an outage',
    declareLabel: 'Declare an outage',
    nodes: 'Nodes',
    nodesHint: 'as Slurm writes them: n1,n[4-7]',
    why: 'Why',
    whyHint: 'Those who lose nodes read it.',
    from: 'From',
    fromHint: (zone: string) => `empty: from now on; ${zone}`,
    until: 'Until',
    untilHint: 'empty: until it is ended',
    noSuchNode: (names: string) => `There is no node ${names}.`,
    tableLabel: 'Table of what it displaces',
    columns: { whose: 'Whose', when: 'When', state: 'State', nodes: 'Of these nodes' },
    first: (shown: number, all: string) => `The first ${shown} of ${all}.`,
    toldLater: 'What this displaces is told once it is declared: there are more nodes than the page reads.',
    looking: 'Looking what it displaces …',
    change: 'Change it',
    takeOut: 'Take them out of service',
    confirm: (nodes: number, reservations: number) =>
      `Take ${count(nodes, 'node')} out of service` +
      `${reservations > 0 ? ` that ${count(reservations, 'reservation holds', 'reservations hold')}` : ''}?`,
    confirmChange: (reservations: number) =>
      `Change it${reservations > 0 ? `, which takes nodes from ${count(reservations, 'reservation')}` : ''}?`,
    nothingChanged: 'Nothing is changed yet.',
    yesChange: 'Yes, change it',
    yesTakeOut: 'Yes, take them out',
    notYet: 'Not yet',
    leave: 'Leave it as it is',
  },
  occupied: {
    title: 'Occupied by others',
    /** Before nodes. */
    colon: ':',
    firstBefore: 'The first 20; the others are in',
  },
  slurm: {
    notAsked: (slurm: string) => `${slurm} has not been asked yet`,
    failing: (slurm: string, state: string) => `${slurm} does not answer as it should (${state})`,
    because: (what: string, why: string) => `${what}: ${why}.`,
    answers: (slurm: string) => `${slurm} answers.`,
    nobodyElse: (slurm: string) => `${slurm} answers. Nobody else's jobs or reservations occupy nodes.`,
    occupied: (slurm: string, nodes: number, jobs: number, reservations: number) => {
      const others = [
        jobs > 0 ? count(jobs, 'job') : '',
        reservations > 0 ? count(reservations, 'reservation') : '',
      ].filter((it) => it !== '');
      return `${slurm} answers. ${count(nodes, 'node is', 'nodes are')} occupied by ${others.join(' and ')} of others, now or later.`;
    },
    since: (start: string) => `since ${start}, no end known`,
    by: (who: string) => `by ${who}`,
  },
};
