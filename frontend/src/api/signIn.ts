// Signing in at the site's OpenID provider, by authorisation code with PKCE. The page speaks to the service alone, which asks
// the provider.

import { language } from '../texts/language.svelte';
import { base } from './base';
import { challenge, secret } from './pkce';
import { said } from './said';
import type { GivenTokens, Problem, SignInDocument, SignInWay } from './schema';
import { type Session, session } from './session.svelte';

/** What this tab remembers while the person is at the provider. */
interface Begun {
  issuer: string;
  verifier: string;
  state: string;
  /** The page that was open. */
  hash: string;
}

const BEGUN = 'wattbook-sign-in';

/** The provider's no. */
class Refused extends Error {}

/** A token with less time left is renewed before it is sent. */
const LEAST_LEFT_MS = 30_000;

/** Where the provider sends people back. */
const returnAddress = `${base}/`;

/** Where people can sign in on the page. */
export async function ways(signal: AbortSignal): Promise<SignInWay[]> {
  const answer = await fetch(`${base}/api/v1/sign-in`, { signal });
  if (!answer.ok) return [];
  const { issuers } = (await answer.json()) as SignInDocument;
  return issuers.filter((it) => it.page_client_id && it.authorization_endpoint);
}

/** Leaves for the provider. */
export async function begin(way: SignInWay): Promise<void> {
  // Browsers hash only what nobody between can change.
  if (!isSecureContext) throw new Error(language.texts.api.signIn.needsHttps);
  const begun: Begun = { issuer: way.issuer, verifier: secret(), state: secret(), hash: location.hash };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const address = new URL(way.authorization_endpoint ?? way.issuer);
  const asked: Record<string, string> = {
    response_type: 'code',
    client_id: way.page_client_id ?? '',
    redirect_uri: returnAddress,
    scope: way.scope,
    state: begun.state,
    code_challenge: await challenge(begun.verifier),
    code_challenge_method: 'S256',
  };
  if (way.resource) asked.resource = way.resource;
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address);
}

/** Takes what the provider sent people back with; nothing is done where they do not come from there. */
export async function finish(): Promise<void> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return;
  const text = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  const begun = text === null ? null : (JSON.parse(text) as Begun);
  // Neither reloading nor going back may send the code again.
  history.replaceState(null, '', returnAddress + (begun?.hash ?? ''));
  // Browsers tell of a new page only where the person went there.
  dispatchEvent(new HashChangeEvent('hashchange'));
  try {
    session.begin(await exchanged(answer, begun));
  } catch (error) {
    session.problem = error instanceof Error ? error.message : String(error);
  }
}

async function exchanged(answer: URLSearchParams, begun: Begun | null): Promise<Session> {
  const texts = language.texts.api.signIn;
  if (!begun || answer.get('state') !== begun.state) {
    throw new Error(texts.otherTab);
  }
  // RFC 9207: the answer of one provider is not taken for that of another.
  if ((answer.get('iss') ?? begun.issuer) !== begun.issuer) {
    throw new Error(texts.otherProvider);
  }
  const code = answer.get('code');
  if (!code) {
    const why = answer.get('error_description') ?? answer.get('error') ?? texts.noReason;
    throw new Error(texts.refused(why));
  }
  const tokens = await given({
    issuer: begun.issuer,
    code,
    code_verifier: begun.verifier,
    redirect_uri: returnAddress,
  });
  return sessionOf(begun.issuer, tokens, null);
}

async function sent(route: string, body: Record<string, string>): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${base}/api/v1/sign-in/${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function given(body: Record<string, string>): Promise<GivenTokens> {
  const answer = await sent('tokens', body);
  if (answer.ok) return (await answer.json()) as GivenTokens;
  const problem = (await answer.json().catch(() => null)) as Problem | null;
  const words = problem?.detail ? said(problem.detail) : language.texts.api.answered(answer.status);
  // The provider's own no ends the sign-in; everything else passes.
  if (answer.status === 400) throw new Refused(words);
  throw new Error(words);
}

function sessionOf(issuer: string, tokens: GivenTokens, before: Session | null): Session {
  const lasts = tokens.expires_in ?? null;
  return {
    issuer,
    accessToken: tokens.access_token,
    expiresAt: lasts === null ? null : Date.now() + lasts * 1000,
    refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
  };
}

let renewing: Promise<void> | null = null;

/** The token to ask with; one that is over soon is renewed first. */
export async function freshToken(): Promise<string> {
  const now = session.signedIn;
  const isOver = now?.expiresAt != null && now.expiresAt - Date.now() < LEAST_LEFT_MS;
  if (now?.refreshToken && isOver) {
    // A refresh token may count once: all wait for one answer.
    renewing ??= renewed(now).finally(() => (renewing = null));
    await renewing;
  }
  return session.token;
}

async function renewed(now: Session): Promise<void> {
  try {
    const body = { issuer: now.issuer, refresh_token: now.refreshToken ?? '', program: 'page' };
    const tokens = await given(body);
    // Nobody signed out meanwhile.
    if (session.signedIn === now) session.renew(sessionOf(now.issuer, tokens, now));
  } catch (error) {
    // A token that is not over yet counts on; of one that is, the service says so where there will be no other.
    const isOver = (now.expiresAt ?? 0) <= Date.now();
    if (isOver && !(error instanceof Refused)) throw error;
  }
}

/** Forgets who signed in, here and at the provider. */
export function signOut(): void {
  const now = session.signedIn;
  session.signOut();
  if (now?.refreshToken) {
    // Here they are signed out, whatever the provider says.
    void sent('forget', { issuer: now.issuer, refresh_token: now.refreshToken, program: 'page' }).catch(() => undefined);
  }
}
