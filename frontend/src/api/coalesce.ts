// Many calls for the same work, done as rarely as is still prompt.

export interface Coalesced {
  /** Asks for the work: it begins after this call, soon, and however often it is asked for. */
  poke(): void;
  stop(): void;
}

/**
 * Work that begins `delay` after the first call for it, `gap` after it last began at the earliest, and
 * never while it is still under way.
 */
export function coalesced(work: () => Promise<unknown>, delay: number, gap: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let began = -Infinity;
  let busy = false;
  let again = false;
  let stopped = false;

  async function run() {
    [timer, busy, began] = [undefined, true, Date.now()];
    await work().catch(() => undefined);
    busy = false;
    if (again) poke();
  }
  function poke() {
    again = busy;
    if (busy || stopped || timer !== undefined) return;
    timer = setTimeout(() => void run(), Math.max(delay, began + gap - Date.now()));
  }
  return {
    poke,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
