// Who asks. Tokens stay in this browser tab: they are gone when the tab is closed.

/** Tokens of somebody who signed in at the site's OpenID provider. */
export interface Session {
  issuer: string;
  accessToken: string;
  /** In milliseconds; null where the issuer does not say so. */
  expiresAt: number | null;
  refreshToken: string | null;
}

const TOKEN = 'wattbook-token';
const SESSION = 'wattbook-session';

function stored(): Session | null {
  const text = sessionStorage.getItem(SESSION);
  return text === null ? null : (JSON.parse(text) as Session);
}

let pasted = $state(sessionStorage.getItem(TOKEN) ?? '');
let signedIn = $state<Session | null>(stored());
let wanted = $state(false);
let problem = $state('');
let changes = $state(0);

function keep(token: string, session: Session | null) {
  pasted = token;
  signedIn = session;
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
  if (session) sessionStorage.setItem(SESSION, JSON.stringify(session));
  else sessionStorage.removeItem(SESSION);
}

export const session = {
  get token() {
    return signedIn?.accessToken ?? pasted;
  },
  /** Who signed in at the OpenID provider; null for who pasted a token. */
  get signedIn() {
    return signedIn;
  },
  /** Grows when somebody else asks. */
  get changes() {
    return changes;
  },
  /** Whether the service asked for a token, or for another one. */
  get wanted() {
    return wanted;
  },
  /** Why signing in failed; empty where it did not. */
  get problem() {
    return problem;
  },
  set problem(words: string) {
    problem = words;
    if (words) wanted = true;
  },
  refused() {
    wanted = true;
  },
  accepted() {
    wanted = false;
  },
  /** Takes a token that somebody pasted. */
  signIn(text: string) {
    keep(text.trim(), null);
    wanted = false;
    problem = '';
    changes += 1;
  },
  /** Takes the tokens of somebody who signed in. */
  begin(tokens: Session) {
    keep('', tokens);
    wanted = false;
    problem = '';
    changes += 1;
  },
  /** Takes newer tokens of the same person. */
  renew(tokens: Session) {
    keep('', tokens);
  },
  signOut() {
    keep('', null);
    changes += 1;
  },
};
