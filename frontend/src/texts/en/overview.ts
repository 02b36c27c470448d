import { count } from './count';
import { overviewNeeds } from './overviewNeeds';

const form = (number: number, one: string, many: string) => (number === 1 ? one : many);
const orMore = (isLeast: boolean) => (isLeast ? ', or more' : '');

export const overview = {
  stopAlerts: 'Stop alerts on this device',
  alertsRefused: 'This browser refuses alerts of this page.',
  alertMe: 'Alert me on this device',
  largeDisplay: 'Large display',
  now: 'Now',
  needs: overviewNeeds,
  need: {
    title: 'Needs somebody',
    nothing: 'Nothing needs you now.',
    nothingForAnybody: 'Nothing needs anybody',
    count: (number: number) => count(number, 'thing needs somebody', 'things need somebody'),
  },
  booked: {
    runningAndComing: 'Runs now and within a day',
    manyBefore: (number: number) => `${count(number, 'reservation')}: the `,
    manyLink: 'Schedule',
    manyAfter: ' shows them.',
    moreBefore: (number: number) => `${count(number, 'more reservation')}: the `,
    moreLink: 'Schedule',
    moreAfter: ' shows all.',
    running: { name: 'Runs now', none: 'Nothing that is booked runs now.', at: 'Until' },
    coming: { name: 'Begins within a day', none: 'Nothing that is booked begins within a day.', at: 'From' },
    table: (part: string) => `Table: ${part}`,
    who: 'Who',
    nodes: 'Nodes',
    draws: 'Draws',
    measured: 'measured',
    planned: 'planned',
  },
  display: {
    lost: (length: string, time: string) =>
      `No contact with the service for ${length}. What stands here is of ${time}; it is tried again.`,
    kept: (length: string, time: string) =>
      `The service has had no database for ${length}. What stands here is of ${time} or older; it is tried again.`,
    more: (number: number) => `and ${number} more`,
    booked: 'Booked',
    nodes: (number: number) => count(number, 'node'),
    until: (when: string) => `until ${when}`,
    from: (when: string) => `from ${when}`,
    moreWithinDay: (number: number) => `and ${number} more within a day`,
    statusHeard: (status: string, length: string) => `${status}, heard ${length} ago`,
  },
  load: {
    title: 'Load and cap, now and the next day',
    booked: 'booked',
    held: 'held by offers',
    cap: 'cap',
  },
  sources: {
    title: 'Sources',
    none: 'No feed is set up: agendas are put by the supplier or an operator.',
    heard: (length: string) => `heard ${length} ago`,
  },
  waiting: { title: 'Waits', none: 'Nothing waits.' },
  /** What so many do, without their number, which stands before or above it. */
  waits: {
    held: (number: number, isLeast: boolean) => form(number, 'request holds offers', 'requests hold offers') + orMore(isLeast),
    awaiting: (number: number, isLeast: boolean) =>
      form(number, 'request waits for the supplier', 'requests wait for the supplier') + orMore(isLeast),
    asked: (number: number) => form(number, 'question to the supplier is open', 'questions to the supplier are open'),
    jobs: (number: number, isLeast: boolean) => form(number, 'job waits in Slurm', 'jobs wait in Slurm') + orMore(isLeast),
    actions: (number: number) => form(number, 'power action waits for approval', 'power actions wait for approval'),
  },
  figures: {
    /** Some of all. */
    of: (some: string, all: string) => `${some} of ${all}`,
    drawnBySite: 'drawn by the site now',
    drawnByNodes: 'drawn by all nodes now',
    planned: 'planned load now',
    noCap: 'reserved; no cap is known',
    aboveCap: (power: string) => `${power} above the cap`,
    ofCap: 'reserved of the cap',
    ofCapLeft: (part: string) => `reserved of the cap, ${part} left`,
    nodesBooked: 'nodes booked now',
    ofNodesBooked: (all: string) => `of ${all} nodes booked now`,
    nothingWaits: 'nothing waits',
    thingsWait: 'things wait',
    asleep: (number: number) => form(number, 'node sleeps', 'nodes sleep'),
    asleepUntil: (number: number, when: string) => `${form(number, 'node sleeps', 'nodes sleep')}, the first is woken ${when}`,
    saved: 'saved this month against starting at once',
  },
};
