// Reservations that repeat.

import { count } from './count';

export const series = {
  states: { running: 'Ongoing', completed: 'Completed', ended: 'Ended', refused: 'Refused' },
  occurrenceStates: {
    waiting: 'To be planned',
    booked: 'Booked',
    impossible: 'Does not fit yet',
    left_out: 'Left out',
    ended: 'Ended before',
  },
  at: (time: string) => `at ${time}`,
  toStart: (times: string) => `to start ${times}`,
  asked: (nodes: number, length: string) => `${count(nodes, 'node')} for ${length}`,
  totals: {
    all: (times: number, parts: string) => `${count(times, 'time')}: ${parts}`,
    booked: (times: number) => `${times} booked`,
    waiting: (times: number) => `${times} to be planned`,
    impossible: (times: number) => `${times} ${times === 1 ? 'does' : 'do'} not fit yet`,
    left_out: (times: number) => `${times} left out`,
    ended: (times: number) => `${times} ended before`,
  },

  card: {
    each: (choose: string, zone: string) => `each time ${choose} (${zone})`,
    eachUntil: (day: string, choose: string, zone: string) => `until ${day}, each time ${choose} (${zone})`,
    cost: 'Cost',
    co2: 'CO₂',
    energy: 'Energy',
    open: 'Each time',
    close: 'Close',
    end: 'End it',
    reallyEnd: 'Really? What has not begun is cancelled; what runs goes on to its end.',
    yesEnd: 'Yes, end it',
    ended: 'Ended: what had not begun is cancelled.',
  },

  details: {
    newer: 'It was changed in the meantime, so nothing was done. This is how it stands now.',
    change: 'Change what is to come',
    table: 'Times of the series',
    eachTime: 'Each time',
    when: 'When',
    state: 'State',
    cost: 'Cost',
    leaveOut: 'Leave out',
    changedByItself: ', changed by itself',
    triedAgain: (when: string) => `tried again ${when}`,
    really: 'Really?',
    yesLeaveOut: 'Yes, leave it out',
    leftOut: 'Left out: the others stay.',
    nothingToCome: 'Nothing is to come.',
    showAll: (times: number) => `Show all ${times}`,
    reading: 'Reading each time …',
  },

  form: {
    title: 'Change what is to come',
    planned:
      'What is to come is planned anew; each time keeps what it has until the new is certain. What began stays, and so does what was changed by itself.',
    nodes: 'Nodes',
    duration: 'For how long',
    eachTime: 'Each time',
    change: 'Change',
    leave: 'Leave it as it is',
    changed: 'Changed: what is to come is planned anew.',
  },

  list: {
    nothing: 'Nothing is repeated. Say “Repeat” when you plan something, and each time is planned within its own window.',
    plan: 'Plan something',
    reading: 'Reading the series …',
  },
};
