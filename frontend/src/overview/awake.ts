// Keeps the screen on.

/**
 * Has the screen stay on while the page is looked at; gives back how to stop. Browsers allow it on secure origins, and
 * take it away whenever the page is hidden.
 */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let stopped = false;

  async function take() {
    if (stopped || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    // Refused where the battery is low: then the device decides.
    lock = await navigator.wakeLock.request('screen').catch(() => undefined);
    if (stopped) await lock?.release();
  }
  void take();
  document.addEventListener('visibilitychange', take);
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', take);
    void lock?.release();
  };
}
