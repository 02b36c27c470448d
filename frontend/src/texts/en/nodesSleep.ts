// Nodes that are switched to save energy.

import { count } from './count';

const which = (names: readonly string[]) => (names.length === 1 ? names.join('') : count(names.length, 'node'));

export const nodesSleep = {
  sleep: {
    title: 'Switched to save energy',
    approveAll: 'Approve all',
    confirmApproveAll: (waiting: string) => `Approve all ${waiting} that wait?`,
    yesApprove: 'Yes, approve them',
    notYet: 'Not yet',
    noneBefore: 'No node is being switched, and nothing is proposed. The section',
    noneAfter: 'of the settings says which nodes may be, and by whom.',
    tableLabel: 'Table of nodes that sleep or could',
    columns: { node: 'Node', what: 'What', saves: 'Saves', state: 'State', decide: 'Decide' },
    whyNot: 'Why not',
    whyNotHint: 'why not, if you like',
    refuseIt: 'Refuse it',
    approve: 'Approve',
    approveFor: (node: string) => `Approve for ${node}`,
    refuse: 'Refuse',
    refuseFor: (node: string) => `Refuse for ${node}`,
    firstBefore: (shown: number) => `The first ${shown};`,
    firstAfter: 'has all of them.',
    operatorsBefore: 'Operators decide, and those whom the site names for these nodes: by',
    held: 'Held',
    endHold: 'End the hold',
    endHoldOf: (node: string) => `End the hold of ${node}`,
    firstHolds: (shown: number, all: string) => `The first ${shown} of ${all}.`,
    switchTitle: 'Switch nodes',
    approved: (names: readonly string[]) =>
      `Approved: ${names.length === 1 ? `${names.join('')} is switched` : `${count(names.length, 'node')} are switched`} when it is time.`,
    refused: (node: string) => `Refused: ${node} stays as it is.`,
    released: (node: string) => `${node} may be switched off again.`,
    co2: (amount: string) => `${amount} of CO₂`,
    limited: (power: string, when: string) => `limited to ${power} ${when}`,
    lifted: (when: string) => `power limit lifted ${when}`,
    woken: (when: string) => `woken ${when}`,
    asleep: (span: string) => `asleep ${span}`,
    switchedOff: (when: string) => `switched off ${when}`,
    states: {
      proposed: 'waits for approval',
      waiting: 'has yet to be ordered',
      ordered: 'ordered, not seen yet',
      failed: 'the order had no effect; it is given again',
    },
    forReservation: (state: string) => `${state}, for a reservation`,
    askedBy: (state: string, who: string) => `${state}, asked for by ${who}`,
    because: (state: string, why: string) => `${state}: ${why}`,
    staysOn: (until: string, who: string) => `stays on until ${until}, by ${who}`,
    wait: (sleeps: number) => `${count(sleeps, 'sleep waits', 'sleeps wait')} for approval.`,
    waitAndSave: (sleeps: number, saved: string) => `${count(sleeps, 'sleep waits', 'sleeps wait')} for approval and would save ${saved}.`,
  },
  switchForm: {
    label: 'Switch nodes',
    nodes: 'Nodes',
    nodesHint: 'as Slurm writes them: n1,n[4-7]',
    whatToDo: 'What to do',
    choices: {
      off: 'switch them off as soon as nobody uses them',
      wake: 'wake them, and keep them on for an hour',
      hold: 'keep them on for a time',
    },
    buttons: { off: 'Switch them off', wake: 'Wake them', hold: 'Keep them on' },
    howLong: 'For how long',
    confirmOff: (nodes: number) => `Switch ${count(nodes, 'node')} off? Nothing that runs is ended.`,
    yesOff: 'Yes, switch off',
    notYet: 'Not yet',
    askedOff: (names: readonly string[]) =>
      `Asked for: ${which(names)} to be switched off as soon as nobody uses ${names.length === 1 ? 'it' : 'them'}. ` +
      'Until then it can be refused in the list.',
    askedWake: (names: readonly string[]) => `Asked for: ${which(names)} to be woken, and kept on for an hour.`,
    keptOn: (names: readonly string[], until: string) => `Kept on: ${which(names)} until ${until}.`,
  },
  nodePower: {
    title: 'Switched to save energy',
    saves: (state: string, saved: string) => `${state}; saves ${saved}`,
    itsReservation: 'its reservation',
    /** With `sleep.staysOn`. */
    it: (staysOn: string) => `It ${staysOn}`,
  },
};
