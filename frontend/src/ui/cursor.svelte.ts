// The instant that is pointed at: one for all charts of a page.

let at = $state<number | null>(null);

export const cursor = {
  get at() {
    return at;
  },
  set at(instant: number | null) {
    at = instant;
  },
};
