export const app = {
  notLoaded: 'This page could not be loaded.',
  tryAgain: 'Try again',
  skip: 'Skip to the page',
  tryNow: 'Try now',
  lost: 'The service is out of reach. What you see may be old; trying again now.',
  lostFor: (seconds: number) => `The service is out of reach. What you see may be old; trying again in ${seconds} s.`,
};
