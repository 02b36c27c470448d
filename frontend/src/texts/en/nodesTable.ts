// The page of nodes, and their table.

import { count } from './count';

export const nodesTable = {
  nodes: {
    title: 'Nodes',
    which: 'Which',
    tabs: { table: 'Nodes', outages: 'Out of service', switching: 'Sleep and power', calibration: 'Calibration' },
    noneBefore: 'There are no nodes yet. An operator puts them with',
    together: 'Together',
    nodes: (nodes: number): string => (nodes === 1 ? 'node' : 'nodes'),
    allIdle: 'all idle',
    allAtMaximum: 'all at maximum',
    standOut: (nodes: number): string => (nodes === 1 ? 'stands out by their power' : 'stand out by their power'),
  },
  table: {
    states: {
      out: 'Out of service',
      asleep: 'Asleep',
      waking: 'Being switched on',
      sleeping: 'Being switched off',
      used: 'In use',
      held: 'Held by an offer',
      occupied: 'Occupied by others',
      free: 'Free',
    },
  },
  nodeTable: {
    title: 'What each node does now',
    csv: 'Table (CSV)',
    state: 'State',
    allStates: 'all',
    partition: 'Partition',
    allPartitions: 'all',
    search: 'Search',
    searchHint: 'name, owner, feature, reason',
    seesFirst: (nodes: number, all: string) => `Search, filters and order see the first ${count(nodes, 'node')} of ${all}.`,
    readingSome: (read: string, nodes: number) => `Reading ${read} of ${count(nodes, 'node')} …`,
    reading: 'Reading the nodes …',
    noneLikeThat: 'No node is like that.',
    showAll: 'Show all again',
    tableLabel: 'Table of nodes',
    columns: {
      name: 'Node',
      partition: 'Partition',
      state: 'State',
      who: 'What runs on it',
      power: 'Power now',
      range: 'Idle to maximum',
      calibration: 'Measured of calibrated',
    },
    limited: (watts: string) => `limited to ${watts} W`,
    drawn: { measured: 'measured', planned: 'planned', idle: 'estimated' },
    drawnHint: {
      measured: 'measured, the mean of its reservation’s nodes',
      planned: 'planned, the mean of its reservation’s nodes',
      idle: 'estimated: its idle power',
    },
    notKnown: 'not known',
    range: (idle: string, max: string) => `${idle} to ${max} W`,
    nodes: (nodes: number) => count(nodes, 'node'),
    explained:
      'Power is measured or planned as the mean of the nodes of a reservation, and of a free node estimated as its idle power. ' +
      'Measured of calibrated is what a node’s meter says, of what its calibration says.',
  },
  nodeList: {
    names: 'Names of nodes, such as n1,n[4-7].',
    tooMany: (most: string) => `These are more than ${most} nodes.`,
    bracketInside: 'A bracket stands inside brackets.',
    bracketNotOpened: 'A closing bracket that none opens.',
    bracketNotClosed: 'A bracket is not closed.',
    patternTooLarge: (pattern: string, most: string) => `${pattern} stands for more than ${most} nodes.`,
    noRange: (range: string) => `“${range}” is no number or range of numbers, such as 4-7.`,
    rangeBackwards: (range: string) => `The range ${range} ends before it begins.`,
    rangeTooLarge: (range: string, most: string) => `The range ${range} stands for more than ${most} nodes.`,
  },
};
