// Whether the service can be reached: one light for the whole page.

let lost = $state(false);
let listeners: (() => void)[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let wait = 1000;
let retryAt = $state(0);

function probe() {
  fetch(new URL('health/live', document.baseURI), { cache: 'no-store' })
    .then((answer) => (answer.ok ? connection.answered() : schedule()))
    .catch(schedule);
}

function schedule() {
  clearTimeout(timer);
  retryAt = Date.now() + wait;
  timer = setTimeout(probe, wait);
  wait = Math.min(wait * 2, 15_000);
}

export const connection = {
  get lost() {
    return lost;
  },
  /** When the next try is made, milliseconds since the epoch. */
  get retryAt() {
    return retryAt;
  },
  failed() {
    if (lost) return;
    lost = true;
    wait = 1000;
    schedule();
  },
  answered() {
    if (!lost) return;
    clearTimeout(timer);
    lost = false;
    for (const listener of listeners) listener();
  },
  retry() {
    clearTimeout(timer);
    probe();
  },
  /** Calls when the service is back; gives back how to stop. */
  onBack(listener: () => void): () => void {
    listeners.push(listener);
    return () => {
      listeners = listeners.filter((it) => it !== listener);
    };
  },
};
