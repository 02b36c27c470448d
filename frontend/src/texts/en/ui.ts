import { count } from './count';

const days = { MO: 'Mon', TU: 'Tue', WE: 'Wed', TH: 'Thu', FR: 'Fri', SA: 'Sat', SU: 'Sun' };
const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year', HOURLY: 'hour' };
const best = { energy: 'Least energy', cost: 'Cheapest', co2: 'Cleanest' };

type Day = keyof typeof days;
type Unit = keyof typeof units;
type Criterion = keyof typeof best;

export const ui = {
  pages: {
    overview: 'Overview',
    plan: 'Plan',
    reservations: 'My reservations',
    schedule: 'Schedule',
    nodes: 'Nodes',
    grid: 'Grid',
    reports: 'Reports',
    simulate: 'Simulate',
    account: 'My account',
  },
  roles: { user: 'user', operator: 'operator', supplier: 'supplier' },
  header: {
    language: 'Language',
    timeZone: 'Time zone',
    pages: 'Pages',
    usualZones: 'Usual',
    allZones: 'All',
    signOut: 'Sign out',
  },

  // Parts of pages.
  copy: {
    copy: 'Copy',
    what: (button: string, label: string) => `${button} ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
    copied: 'Copied.',
    selected: 'It is selected: copy it with the keyboard.',
  },
  lineChart: {
    endsAt: (line: string, value: string) => `${line} ends at ${value}`,
    words: (title: string, ends: string[]) => `${title}. ${ends.join('; ')}.`,
  },
  outcome: { takeBack: 'Take it back' },
  ownPage: {
    address: 'Address of this page',
    copyAddress: 'Copy the address',
    forbidden: (message: string) => `This page is not for you: ${message}`,
    missing: 'There is none of this name, or it is not yours to see: look whether the address is whole.',
    goTo: (page: string) => `Go to ${page}`,
    reading: 'Reading it …',
  },
  parts: {
    pages: 'Pages of the list',
    pagesBelow: 'Pages of the list, below it',
    before: '◀ Before',
    next: 'Next ▶',
    at: (all: string, page: string, pages: string) => `${all}, page ${page} of ${pages}`,
  },
  powerChart: {
    label: 'Power of reserved nodes under the power cap.',
    /** With how long a column is where each is the most over some time, else an empty text. */
    hint: (withIdle: boolean, column: string) =>
      `Most power that the reserved nodes may draw, under the cap${withIdle ? ' (idle nodes count too)' : ''}${column ? `; each column is the most over ${column}` : ''}`,
    breach: (atTimes: boolean, during: string) => `Above the cap ${atTimes ? 'at times ' : ''}${during}`,
    breachMark: '▲ above the cap',
    cap: 'cap',
    noCap: 'no cap known',
    saveAs: (zone: string) => `Power of reserved nodes under the cap, times in ${zone}`,
    breached: (atTimes: boolean, spans: number, first: string) =>
      `Reserved power is above the cap ${atTimes ? 'at times ' : ''}in ${spans === 1 ? 'one span' : `${spans} spans`}, first ${first}: the cap was lowered after these reservations were made.`,
  },
  project: {
    label: 'Project',
    several: 'whose quotas and shares it counts for',
    only: (project: string) => `${project}, the only one`,
    choose: 'Choose one',
    unknown: 'empty: none, or the only one that you are in',
  },
  refusal: {
    byQuota: 'A quota is in the way; nothing was changed.',
    planFor: (start: string) => `Plan for ${start}, the next start that the quotas allow`,
  },
  repeat: {
    label: 'Repeat',
    firstTime: 'The first time is the one above.',
    every: { no: 'Not at all', day: 'Every day', week: 'Every week', month: 'Every month', rule: 'By a rule …' },
    on: 'On',
    rule: 'Rule',
    ruleHint: 'RFC 5545: FREQ=WEEKLY;INTERVAL=2;BYDAY=MO',
    until: 'Until',
    untilHint: 'the last day',
    untilHintOfRule: 'the last day; empty where the rule ends by itself',
  },
  saveChart: {
    save: (title: string) => `Save: ${title}`,
    asPicture: 'Save as a picture',
    asTable: 'Save as a table',
    failed: (why: string) => `The picture could not be made: ${why}`,
    noPictures: 'this browser draws no pictures',
    tooLarge: 'this browser makes no pictures of this size',
  },
  signIn: {
    title: 'Sign in',
    signedOut: 'You are signed out, or may do nothing here. Sign in again, or ask an operator.',
    unknownToken: 'The service does not know this token, or it was revoked.',
    at: (host: string) => `Sign in at ${host}`,
    orPasteBefore: 'Or paste an API token; an operator makes one with',
    pasteBefore: 'This service asks who you are. Paste your API token; an operator makes one with',
    pasteAfter: '.',
    token: 'Token',
    whereKept:
      'The token stays in this browser tab and goes only to this service. It is forgotten when you close the tab or sign out.',
    withToken: 'Sign in with the token',
    signIn: 'Sign in',
  },
  sure: { keep: 'Keep it' },
  timeFrame: { label: (picture: string) => `${picture} Arrow keys move the cursor.` },

  // What several pages say.
  quantities: { price: 'Price', co2: 'CO₂ intensity', power_cap: 'Power cap' },
  /** How CO₂ is counted, by the words of the API. */
  co2: {
    name: 'CO₂',
    words: { average: 'average', marginal: 'marginal', direct: 'direct', 'life-cycle': 'life cycle' },
    named: (name: string, counted: string) => `${name}, ${counted}`,
    figure: (name: string, amount: string) => `${name}: ${amount}`,
  },
  standings: {
    put: 'as announced',
    fresh: 'up to date',
    last_good: 'the last known: its source is late',
    contract: 'by contract',
    forecast: 'a forecast of this site',
    safe_mode: 'a safe assumption: none is known',
  },
  booking: { offerChanged: 'The offer is no longer what it was, and nothing is booked.' },
  agendas: {
    asTable: 'The agenda came as a table.',
    estimated: (value: string) => `${value} (estimated)`,
    dashed: 'Dashed: an estimate of this site.',
  },
  calendar: {
    summary: (nodes: number) => `Wattbook: ${count(nodes, 'node')}`,
    /** With how CO₂ is counted, or an empty text. */
    description: (nodes: string, energy: string, cost: string, co2: string, counted: string, id: string) =>
      `${nodes}\n${energy}, ${cost}, ${co2} CO2${counted && ` (${counted})`}\nReservation ${id}`,
  },
  feeds: {
    lights: { ok: 'Up to date', failing: 'Last try failed', late: 'Too old', never: 'Not heard of yet' },
    errors: {
      refused: 'The provider refused the request',
      busy: 'The provider asked to wait',
      transient: 'The provider did not answer properly',
      not_published: 'The provider has not published it yet',
      payload: 'The provider sent something unreadable',
      sandbox: 'The provider answered with test data',
      configuration: 'The settings are wrong',
    },
    error: (what: string, when: string, detail: string) => `${what} (${when}): ${detail}`,
    heard: (ago: string) => `heard ${ago} ago`,
    notHeard: 'not heard of yet',
    knownUntil: (until: string) => `known until ${until}`,
    askedNext: (wait: string) => `asked next in ${wait}`,
    notAsked: 'It has not been asked yet.',
    asked: (requests: number, last: string, failures: number) =>
      `Asked by ${count(requests, 'request')} so far, last ${last}${failures > 0 ? `; ${count(failures, 'try', 'tries')} failed` : ''}.`,
  },
  negotiations: {
    kinds: {
      extra_power: 'Extra power',
      planned_consumption: 'Planned consumption',
      low_consumption: 'Low consumption',
      actual_consumption: 'What was consumed',
      notice: 'What the supplier did by itself',
    },
    outcomes: {
      granted: 'Granted',
      partly_granted: 'Partly granted',
      refused: 'Refused',
      unanswered: 'Not answered',
      withdrawn: 'Withdrawn',
    },
    answered: 'Answered',
    ongoing: 'Ongoing',
    waits: 'Waits for an answer',
    late: 'Was not answered in time',
    waitsUntil: (deadline: string, left: string) => `Waits for an answer until ${deadline}, ${left} from now`,
    line: (power: string, words: string, during: string) => `${power} ${words}, ${during}`,
    moreSpans: (spans: number, most: string, during: string) => `${count(spans, 'more span')}, ${most} at most, ${during}`,
    question: (power: string, atMost: boolean, during: string, askers: string) =>
      `${power} ${atMost ? 'at most ' : ''}more, ${during}, for ${askers}`,
    askers: (requests: number, reservations: number) => {
      const parts = [
        requests > 0 ? count(requests, 'request') : '',
        reservations > 0 ? `${count(reservations, 'reservation')} that lost power` : '',
      ];
      return parts.filter((it) => it !== '').join(' and ') || 'nobody any more';
    },
    waitsForPower: 'waits for the power',
    lostPower: 'lost power',
  },
  nodeSets: {
    range: (first: number, last: number) => `${first} to ${last}`,
    ranges: (nodes: number, ranges: number, shown: string) => `${count(nodes, 'node')} in ${count(ranges, 'range')}: ${shown}`,
  },
  offers: {
    criteria: { energy: 'energy', cost: 'cost', co2: 'CO₂' },
    ranking: (criteria: string[]) => criteria.join(', then '),
    /** Of one criterion or more. */
    best: (criteria: Criterion[]) => {
      if (criteria.length === 3) return 'Best in everything';
      return criteria.map((it, index) => (index === 0 ? best[it] : best[it].toLowerCase())).join(' and ');
    },
    alsoBest: (name: string, criteria: Criterion[]) => `${name}, then ${criteria.map((it) => best[it].toLowerCase()).join(' or ')}`,
    compromise: 'Good at everything',
    soonest: 'As soon as possible',
    same: 'same',
    /** By a share, which is empty where it is not known. */
    less: (share: string) => (share ? `${share} less` : 'less'),
    more: (share: string) => (share ? `${share} more` : 'more'),
    fee: (fee: string) => `${fee} of the cost for extra power`,
    speed: (share: string, state: string, later: string) => `At ${share} of full speed${state ? ` (${state})` : ''}: ends ${later} later`,
  },
  power: {
    booked: (power: string) => `${power} booked`,
    mostBooked: (power: string) => `at most ${power} booked`,
    bookedAndHeld: (booked: string, held: string) => `${booked} booked + ${held} held`,
    mostBookedAndHeld: (booked: string, both: string) => `at most ${booked} booked, at most ${both} with what is held`,
    cap: (power: string) => `cap ${power}`,
    leastCap: (power: string) => `cap at least ${power}`,
    noCap: 'no cap known',
  },
  quotas: {
    each: { partition: 'each partition', project: 'each project', jobType: 'each job type', user: 'each user' },
    one: {
      partition: (name: string) => `the partition ${name}`,
      project: (name: string) => `the project ${name}`,
      jobType: (name: string) => `the job type ${name}`,
      user: (name: string) => `the user ${name}`,
    },
    everybody: 'everybody together',
    nodes: (nodes: number) => count(nodes, 'node'),
    reservations: (reservations: number) => count(reservations, 'reservation'),
    nodeHours: (amount: string) => `${amount} node-hours`,
    co2: (amount: string) => `${amount} CO₂`,
    per: { day: 'a day', week: 'a week', month: 'a month', quarter: 'a quarter', year: 'a year', fixed: 'in all' },
    perOther: (per: string) => `per ${per}`,
    rulesChange: 'The rules of quotas change while it would run, and the site wants each reservation under one of them.',
    /** Of rules with a name, or an empty one; `per` begins with a space, or is empty. */
    allows: (rules: string, whom: string, amount: string, per: string) =>
      `${rules ? `The rule “${rules}”` : 'A rule of the site'} allows ${whom} ${amount}${per}.`,
    /** An operator's rule for a time. */
    adjusted: (whom: string, amount: string, per: string) => `An operator adjusted the quota: it allows ${whom} ${amount}${per}.`,
    taken: (used: string, isOne: boolean, left: string, asked: string) =>
      `${used} ${isOne ? 'is' : 'are'} taken, ${left} left; this would take ${asked}.`,
    counts: (during: string) => `This counts ${during}.`,
    noStart: 'Within the next two months no start is known at which it fits.',
    /** `rest` is what the service says after the rule, `all` also what it says before. */
    reason: (whom: string, rest: string, _all: string) => `A quota for ${whom} of${rest}`,
    reasonAdjusted: (whom: string, rest: string, _all: string) => `An adjusted quota for ${whom}${rest}`,
  },
  recur: {
    days,
    /** With the days of it, how often, and its last day, each empty where it is not said. */
    words: (unit: Unit, interval: number, on: Day[], times: string, until: string) => {
      const every = interval === 1 ? `every ${units[unit]}` : `every ${interval} ${units[unit]}s`;
      const names = on.map((day) => days[day]).join(', ').replace(/, (\w+)$/, ' and $1');
      return `${every}${names ? ` on ${names}` : ''}${times ? `, ${times} times` : ''}${until ? `, until ${until}` : ''}`;
    },
    choose: { cost: 'the cheapest start', co2: 'the cleanest start', energy: 'the start with the least energy' },
    noRule: 'A rule such as FREQ=WEEKLY;INTERVAL=2;BYDAY=MO.',
    noEnd: 'The last day.',
    noDay: 'A day.',
  },
  reservations: {
    states: {
      proposed: 'Not chosen yet',
      confirmed: 'Booked',
      active: 'Running',
      completed: 'Completed',
      cancelled: 'Cancelled',
      expired: 'Expired',
      rejected: 'Rejected',
      failed: 'Failed',
      awaiting_supplier: 'Waiting for the supplier',
    },
    /** Of nodes, 0 where it is not known how many. */
    outOfService: (nodes: number) => (nodes > 0 ? `${count(nodes, 'node')} out of service` : 'Nodes out of service'),
    overCap: 'No longer fits under the power cap',
    refused: (detail: string) => `The supplier says no: ${detail}`,
    nodes: (nodes: number) => count(nodes, 'node'),
    request: (nodes: number, duration: string) => `${count(nodes, 'node')} for ${duration}`,
  },
};
