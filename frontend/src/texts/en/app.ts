export const app = {
  notLoaded: 'This page could not be loaded.',
  tryAgain: 'Try again',
  languageNotLoaded: (wanted: string, now: string) => `${wanted} could not be loaded. The page stays in ${now}; you may try again.`,
  stayIn: (now: string) => `Stay in ${now}`,
  skip: 'Skip to the page',
  tryNow: 'Try now',
  lost: 'The service is out of reach. What you see may be old; trying again now.',
  lostFor: (seconds: number) => `The service is out of reach. What you see may be old; trying again in ${seconds} s.`,
  kept: (time: string) => `The service’s database is away. What you see is as of ${time} or older, and nothing can be booked or changed.`,
  /** How long ago that was. */
  ago: (length: string) => `${length} ago`,
};
