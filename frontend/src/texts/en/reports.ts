const both = (less: string, more: string) => [less, more].filter(Boolean).join(' and ');
const all = (amounts: readonly string[]) => amounts.join(' and ');

export const reports = {
  page: {
    title: 'Reports',
    month: 'Month',
    saveTable: 'Table (CSV)',
    print: 'Print',
    together: 'Together',
    measured: (share: string) => `${share} of it measured`,
    noPrice: 'no price',
    cost: 'it cost',
    noIntensity: 'no intensity',
    emitted: 'it emitted, by the grid',
    savedByUser: 'Saved by user',
    savedByProject: 'Saved by project',
    nothing: 'Nothing is in the ledger of this month yet.',
    nothingForYou: 'Nothing is in the ledger of this month for you.',
    statedTo: (when: string) => `Hours are stated to ${when}.`,
    notStated: 'No hour is stated yet.',
  },
  lines: {
    title: 'Whose energy it was',
    by: 'By',
    table: 'Table of energy',
    nodeHours: 'Node-hours',
    used: 'Used by jobs',
    energy: 'Energy',
    measured: 'Measured',
    cost: 'Cost',
    co2ByGrid: 'CO₂ by the grid',
    co2ByBought: 'By what was bought',
    otherCo2: 'Other CO₂',
    aboutOther: 'Other CO₂ is by the grid as well, by the accounting that the site does not plan by.',
    promised: 'Saved, promised',
    saved: 'Saved, measured',
    error: 'Error',
    about:
      'Saved is against starting as soon as possible: promised is what the chosen offers said, measured is the same for the energy that was ' +
      'really consumed. The error is that of the energy which offers predicted. Where a field is empty, it is not known.',
  },
  /** What lines may be by. */
  keys: { user: 'User', project: 'Project', application: 'Application', partition: 'Partition' },
  /** What lines are of that name none. */
  unnamed: {
    user: 'nobody: idle nodes, the facility',
    project: 'no project',
    application: 'no application',
    partition: 'no partition',
  },
  saved: {
    table: (title: string) => `Saved: ${title}`,
    notCompared: 'no start to compare',
    notKnown: 'nothing is known of starting as soon as possible',
    together: 'Together',
  },
  /** What was saved in a month, in sentences; amounts that are less, and amounts that are more. */
  sentence: {
    month: (month: string) => `In ${month}`,
    monthSoFar: (month: string) => `So far in ${month}`,
    co2: (co2: string) => `${co2} of CO₂`,
    promised: (less: readonly string[], more: readonly string[]) => both(less.length > 0 ? `${all(less)} saved` : '', more.length > 0 ? `${all(more)} more` : ''),
    really: (less: readonly string[], more: readonly string[]) =>
      both(less.length > 0 ? `${all(less)} were saved` : '', more.length > 0 ? `${all(more)} more were taken` : ''),
    nothingKnown: (at: string) => `${at}, nothing is known of starting as soon as possible, so what was saved cannot be told.`,
    promisedAlone: (at: string, promised: string) =>
      `${at}, against starting as soon as possible, the offers promised ${promised}. What was really saved is not known: no price or CO₂ intensity is.`,
    reallyAlone: (at: string, really: string) => `${at}, against starting as soon as possible, ${really}.`,
    reallyAndPromised: (at: string, really: string, promised: string) =>
      `${at}, against starting as soon as possible, ${really}; the offers promised ${promised}.`,
    noneMeasured: 'None of the energy behind this was measured: all of it is estimated.',
    allMeasured: 'All of the energy behind this was measured.',
    shareMeasured: (share: string) => `${share} of the energy behind this was measured, the rest is estimated.`,
  },
  bill: {
    title: (month: string) => `The bill of ${month}`,
    table: 'Table of the bill',
    charge: 'Charge',
    for: 'For',
    cost: 'Cost',
    energy: 'Energy',
    quarter: (when: string) => `the quarter-hour of ${when}`,
    powerInQuarter: (power: string, when: string) => `${power} in the quarter-hour of ${when}`,
    wholeMonth: 'the month',
    together: 'Together',
    about: 'A charge for the month’s highest quarter-hour falls to those who drew in it, in proportion. Users see their parts.',
  },
};
