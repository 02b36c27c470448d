// A certified OpenID provider (oidc-provider), at which everybody signs in by a name and any password.

import { type KeyObject, generateKeyPairSync, randomUUID } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Provider } from 'oidc-provider';

/** What access tokens are for. */
export const RESOURCE = 'https://wattbook.example';

/** The groups of those who are in none of their own. */
const USERS = ['hpc'];

export class OpenIdProvider {
  private readonly server: Server = createServer();
  private handler: ReturnType<Provider['callback']> | undefined;
  private pageAddress = '';
  issuer = '';
  /** Seconds for which access tokens count. */
  lifetime = 600;

  /** A provider of people in these groups, by name. */
  constructor(private readonly groups: Record<string, string[]>) {
    this.server.on('request', (request, response) => this.handler?.(request, response));
  }

  /** Listens, at the port that it had before where there was one. */
  async listen(): Promise<void> {
    const port = this.issuer === '' ? 0 : Number(new URL(this.issuer).port);
    await new Promise<void>((done) => this.server.listen(port, '127.0.0.1', done));
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers no more. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** The page to which people are sent back. */
  serves(pageAddress: string): void {
    this.pageAddress = pageAddress;
    this.renewKeys();
  }

  /** Signs by a new key from now on, and knows none of those before. Nobody is signed in. */
  renewKeys(): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.handler = new Provider(this.issuer, this.configuration(privateKey)).callback();
  }

  private configuration(key: KeyObject): Record<string, unknown> {
    return {
      clients: [
        {
          client_id: 'wattbook-page',
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          redirect_uris: [this.pageAddress],
        },
        {
          client_id: 'wattbook-cli',
          token_endpoint_auth_method: 'none',
          grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
          response_types: [],
          redirect_uris: [],
        },
      ],
      jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }] },
      cookies: { keys: [randomUUID()] },
      pkce: { required: () => true },
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      findAccount: (_: unknown, name: string) => ({ accountId: name, claims: () => ({ sub: name }) }),
      extraTokenClaims: (_: unknown, token: { accountId: string }) => ({
        preferred_username: token.accountId,
        groups: this.groups[token.accountId] ?? USERS,
      }),
      features: {
        devInteractions: { enabled: true },
        deviceFlow: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_: unknown, resource: string) => ({
            scope: '',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: this.lifetime,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    };
  }
}
