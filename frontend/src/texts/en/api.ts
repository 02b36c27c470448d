export const api = {
  unreachable: 'The service is out of reach.',
  withoutReason: (status: number) => `The service answered ${status} without saying why.`,
  answered: (status: number) => `The service answered ${status}.`,
  signIn: {
    needsHttps: 'Signing in needs https. Open this page by its https address.',
    otherTab: 'This sign-in was not begun in this tab. Sign in again.',
    otherProvider: 'Another provider answered than was asked. Sign in again.',
    refused: (why: string) => `The provider did not sign you in: ${why}.`,
    noReason: 'no reason',
  },
  /** What is wrong with a field. */
  placed: (field: string, detail: string) => `${field}: ${detail}`,
  /** Names of fields as forms have them, by the last name of a pointer. */
  fields: {
    nodes: 'Nodes',
    duration_s: 'For how long',
    earliest_start: 'Not before',
    latest_start: 'Latest start',
    latest_end: 'Finished by',
    max_delay_h: 'May wait, hours',
    requests: 'Requests in a run',
    runs: 'Runs',
    days: 'Days',
    start: 'From the day',
  },
};
