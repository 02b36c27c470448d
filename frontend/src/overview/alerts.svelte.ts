// Alerts on this device: the browser tells what newly needs somebody, where its user asked for that.

import { untrack } from 'svelte';

import { events } from '../api/events.svelte';
import { plain } from '../api/said';
import type { readAnswers } from './answers.svelte';
import type { Need } from './need';
import { newly, remembered } from './newNeeds';

const WANTED = 'wattbook-alerts';
const TOLD = 'wattbook-alerts-told';

/** Browsers let pages alert on secure origins only. */
const isPossible = 'Notification' in window && isSecureContext;

let wanted = $state(localStorage.getItem(WANTED) === 'yes');
let permission = $state<NotificationPermission>(isPossible ? Notification.permission : 'denied');

const readTold = () => new Set(JSON.parse(localStorage.getItem(TOLD) ?? '[]') as string[]);
const writeTold = (keys: readonly string[]) => localStorage.setItem(TOLD, JSON.stringify(keys));

function want(on: boolean) {
  wanted = on;
  if (on) localStorage.setItem(WANTED, 'yes');
  else localStorage.removeItem(WANTED);
}

function tell({ what, where, todo, page, keys }: Need) {
  try {
    // Of several pages in one browser the second takes the place of the first.
    const told = new Notification(plain(what), { body: plain(`${where}\n${todo}`), tag: keys.join() });
    told.onclick = () => {
      window.focus();
      location.hash = page?.href ?? '#/overview';
    };
  } catch {
    // Browsers of phones have no alerts of pages.
    want(false);
  }
}

export const alerts = {
  isPossible,
  get isOn() {
    return wanted && permission === 'granted';
  },
  /** Whether the browser refuses, as its user once said. */
  get isDenied() {
    return permission === 'denied';
  },
  /** Asks the browser's user; what is known already is not told. */
  async start(known: readonly Need[]) {
    permission = await Notification.requestPermission();
    if (permission !== 'granted') return;
    writeTold(remembered(known, new Set(), true));
    want(true);
  },
  stop() {
    want(false);
  },
  /** Tells what is new from now on. To be called while the page as a whole is made. */
  watch(page: ReturnType<typeof readAnswers>) {
    const keys = $derived(page.needs.flatMap((need) => need.keys).join('\n'));
    $effect(() => events.keep(alerts.isOn));
    $effect(() => {
      void keys;
      const isComplete = page.isComplete;
      if (!alerts.isOn) return;
      untrack(() => {
        const told = readTold();
        newly(page.needs, told).forEach(tell);
        writeTold(remembered(page.needs, told, isComplete));
      });
    });
  },
};
