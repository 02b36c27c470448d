// Of what somebody was alerted, so that nobody is alerted of one thing twice.

import type { Need } from './need';

/** What is about something that nobody was alerted of. */
export const newly = (needs: readonly Need[], told: ReadonlySet<string>): Need[] =>
  needs.filter((need) => need.keys.some((key) => !told.has(key)));

/** What is known after these were told. What is over is forgotten, so that it is told when it comes again. */
export function remembered(needs: readonly Need[], told: ReadonlySet<string>, isComplete: boolean): string[] {
  const current = needs.flatMap((need) => need.keys);
  return [...new Set(isComplete ? current : [...told, ...current])];
}
