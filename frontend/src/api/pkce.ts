// A secret that only this tab knows, and what the issuer is told of it (RFC 7636).

function encoded(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** 256 random bits as text. */
export const secret = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/** The challenge of a secret: its SHA-256. */
export async function challenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return encoded(new Uint8Array(digest));
}
