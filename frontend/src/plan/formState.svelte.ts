// The form while a page is open: what it says is in the address, and means the same when the zone changes.

import { untrack } from 'svelte';

import { clock } from '../ui/clock.svelte';
import type { Repeat } from '../ui/recur';
import { route } from '../ui/route.svelte';
import type { FormValues } from './form';
import { formOf, inZone, queryOf } from './formAddress';

/** To be called while a component is made. While `kept`, the address stays as it is. */
export function formState(kept: () => boolean) {
  let zone = clock.zone;
  const first = formOf(route.query, zone);
  let values = $state<FormValues>(first.values);
  let repeat = $state<Repeat>(first.repeat);
  let visit = route.visits;

  $effect.pre(() => {
    const now = clock.zone;
    if (now === zone) return;
    values = inZone(untrack(() => $state.snapshot(values)), zone, now);
    zone = now;
  });
  $effect.pre(() => {
    if (route.visits === visit || route.page !== 'plan') return;
    visit = route.visits;
    ({ values, repeat } = formOf(untrack(() => route.query), zone));
  });
  $effect(() => {
    const said = queryOf($state.snapshot(values), $state.snapshot(repeat), clock.zone);
    if (!kept() && untrack(() => route.page) === 'plan') untrack(() => route.note(said));
  });

  return {
    get values() {
      return values;
    },
    set values(said: FormValues) {
      values = said;
    },
    get repeat() {
      return repeat;
    },
    set repeat(said: Repeat) {
      repeat = said;
    },
  };
}
