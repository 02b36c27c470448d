import { count } from './count';
import { list } from './list';

const LEAST = 'of all starts it gives up least of what is best in cost, CO₂, energy and waiting';

/** What is offered, and why. */
export const planOffers = {
  offers: {
    held: (left: string) => `Held for you for ${left}`,
    optimum: 'One start is best in everything',
    title: 'When to start',
    giveBack: 'Give back',
    nothingHeld: 'Nothing is held until you book or hold.',
    workingOut: 'Working it out …',
    asOf: (time: string) => `as of ${time}`,
    holdAll: 'Hold all while I think',
    undoable: (why: string) => `${why} Give them back to ask for what it says now, or undo the change to book one of them.`,
    undo: 'Undo the change',
    recommended: 'Recommended',
    now: 'Now, or as soon as it goes',
    counted: (words: string) => `CO₂ of the offers: ${words}.`,
    others: 'What is best at one thing',
    data: 'Data:',
  },
  /** One offer, wherever it stands. */
  offer: {
    named: (letter: string) => `Offer ${letter}:`,
    fromTo: (start: string, end: string) => `${start} to ${end}`,
    bestBy: (ranking: string) => `Best by ${ranking}.`,
    nodes: (nodes: number) => count(nodes, 'node'),
    atMost: (power: string) => `${power} at most`,
    /** Between two things that are told of it. */
    between: '; ',
    startsAtOnce: 'starts at once',
    startsIn: (length: string) => `starts in ${length}`,
    book: (letter: string) => `Book ${letter}`,
  },
  choices: {
    goodAtEverything: 'Good at everything',
    asSoonAsPossible: 'As soon as possible',
    bestInEverything: 'It is best in everything: no other start costs less, emits less or needs less energy.',
    nothingGained: `Nothing is gained by waiting that is worth it: ${LEAST}.`,
    /** How much is saved; without a share where it cannot be told. */
    less: {
      cost: (share: string) => `${share || 'less'} of the cost`,
      co2_g: (share: string) => `${share || 'less'} of the CO₂`,
      energy_j: (share: string) => `${share || 'less'} of the energy`,
    },
    more: {
      cost: (share: string) => `${share} more cost`.trim(),
      co2_g: (share: string) => `${share} more CO₂`.trim(),
      energy_j: (share: string) => `${share} more energy`.trim(),
    },
    waiting: (wait: string, less: readonly string[], more: readonly string[]) => {
      const gain = less.length > 0 ? `saves ${list(less)}` : 'saves nothing that counts';
      return `Waiting ${wait} ${gain} against starting at once${more.length > 0 ? `, and takes ${list(more)}` : ''}; ${LEAST}.`;
    },
    notAlone: 'This start runs slower and wins no ranking, so it cannot be booked by itself. Book a start beside it, or ask for full speed.',
  },
  figures: {
    cost: 'Cost',
    co2: 'CO₂',
    energy: 'Energy',
    likely: (exact: string, low: string, high: string) => `${exact}; estimated, probably ${low} to ${high}`,
  },
  freshness: {
    quantities: { price: 'price', co2: 'CO₂', power_cap: 'cap' },
    justNow: (quantity: string) => `${quantity} just now`,
    old: (quantity: string, age: string) => `${quantity} ${age} old`,
    good: (quantity: string, standing: string) => `${quantity} ${standing}`,
    doubtful: (quantity: string, standing: string) => `${quantity}: ${standing}`,
    qualities: { measured: 'measured', forecast: 'forecast', estimated: 'estimated' },
    detail: (quantity: string, source: string, standing: string, quality: string, received: string) =>
      `${quantity}${source ? ` from ${source}` : ''}: ${standing}, ${quality}${received ? `, received ${received}` : ''}`,
  },
  standing: {
    title: 'What it does to your standing',
    now: (factor: string) => `It is ${factor} of 1 now. Whoever used less than their share stands better.`,
    nowIn: (factor: string, parent: string) => `It is ${factor} of 1 now in ${parent}. Whoever used less than their share stands better.`,
    account: 'My account',
    accountAfter: 'says more.',
    stays: (factor: string) => `Standing: stays ${factor}`,
    changes: (after: string, now: string) => `Standing: ${after} after it, ${now} now`,
  },
  explanation: {
    title: 'Why not earlier?',
    learnt: (percent: string, runs: number, application: string) =>
      `Expected with a utilisation of ${percent} %, as ${count(runs, 'earlier run')} of ${application} had it.`,
    missingNodes: (starts: number, missing: number, during: string) =>
      `Not enough free nodes at ${count(starts, 'start')}. Where it came closest, ${count(missing, 'node')} ${missing === 1 ? 'was' : 'were'} missing, ${during}.`,
    missingPower: (starts: number, missing: string, during: string) =>
      `The power cap is too low at ${count(starts, 'start')}. Where it came closest, ${missing} was missing, ${during}.`,
    unknown: {
      price: 'No price is known',
      co2: 'No CO₂ intensity is known',
      power_cap: 'No power cap is known',
      other: 'Something is unknown',
    },
    missingAgenda: (unknown: string, starts: number, during: string) => `${unknown} for ${count(starts, 'start')}: there is none ${during}.`,
    noSlot: (every: string, before: string, after: string) =>
      `Reservations start every ${every}, and no such start lies in the time asked for. ` +
      (before ? `The nearest are ${before} and ${after}.` : `The next is ${after}.`),
    waysOut: {
      no_slot: 'Let it start a little earlier or later, so that one of these starts is possible.',
      nodes: 'Ask for fewer nodes, or let it wait until more are free.',
      power_cap: 'Ask for fewer nodes, let it wait for a higher cap, or ask the supplier for more power.',
      agenda_gap: 'Choose a time for which it is known, or ask the site to publish it.',
      quota: 'Give back what you hold and do not need, ask for less, or choose another time.',
      other: 'Ask for less, or choose another time.',
    },
    nothingBefore: (when: string) => `Nothing can start before ${when}.`,
    isFirst: (letter: string) => `${letter} is the first start possible.`,
    moreCost: (cost: string) => `${cost} more`,
    moreCo2: (co2: string) => `${co2} CO₂ more`,
    moreEnergy: (energy: string) => `${energy} more`,
    waits: (letter: string, wait: string, first: string, more: readonly string[]) =>
      `${letter} waits ${wait}: starting ${first} would take ${more.length > 0 ? more.join(' and ') : 'no less of anything'}.`,
    hourCheaper: (cost: string) => `An hour more of waiting would make the cheapest ${cost} cheaper.`,
    hourCleaner: (co2: string) => `An hour more of waiting would save the cleanest another ${co2} of CO₂.`,
    hourNothing: 'An hour more of waiting would make nothing cheaper or cleaner.',
  },
};
