// Requests wait for the stream of events to open, a moment at the most: what is read after it opened need
// not be read again because of what happened meanwhile.

const LONGEST = 250;

let open = () => {};
let isOpen = true;
let opened = Promise.resolve();

export const gate = {
  /** Resolved once requests may go. */
  get opened() {
    return opened;
  },
  close() {
    isOpen = false;
    opened = new Promise((done) => (open = done));
    setTimeout(gate.open, LONGEST);
  },
  /** Whether requests have been waiting for it until now. */
  open(): boolean {
    const before = isOpen;
    isOpen = true;
    open();
    return !before;
  },
};
