// Who asks. The token stays in this browser tab: it is gone when the tab is closed.

const KEY = 'wattbook-token';

let token = $state(sessionStorage.getItem(KEY) ?? '');
let wanted = $state(false);

export const session = {
  get token() {
    return token;
  },
  /** Whether the service asked for a token, or for another one. */
  get wanted() {
    return wanted;
  },
  refused() {
    wanted = true;
  },
  accepted() {
    wanted = false;
  },
  signIn(text: string) {
    token = text.trim();
    wanted = false;
    sessionStorage.setItem(KEY, token);
  },
  signOut() {
    token = '';
    sessionStorage.removeItem(KEY);
  },
};
