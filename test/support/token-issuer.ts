import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

/** An issuer of tokens that a test starts: it publishes its keys as an OpenID provider does. */
export interface TokenIssuer {
  /** The claim `iss` of its tokens, and its address. */
  readonly url: string;
  /** How often its keys were fetched. */
  readonly fetches: () => number;
  /** Signs claims, with times from now and the audience `headgate` where they name none. */
  sign(claims: object, options?: SignOptions): Promise<string>;
  /** Signs with a new key from now on; the old one is not published any more. */
  rotate(): Promise<void>;
  /** Answers 503 from now on, or as before. */
  setAway(isAway: boolean): void;
  stop(): Promise<void>;
}

interface SignOptions {
  readonly header?: Partial<JWTHeaderParameters>;
  /** Signs with this instead. */
  readonly key?: CryptoKey | Uint8Array;
}

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly published: JWK;
}

async function newKey(alg: string, kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Starts an issuer on a free port. */
export async function startIssuer(alg = 'ES256'): Promise<TokenIssuer> {
  let key = await newKey(alg, 'key-1');
  let [fetched, rotations, away] = [0, 1, false];
  const server = createServer((request, response) => {
    if (away) return void response.writeHead(503).end();
    if (request.url === '/jwks') fetched += 1;
    const body =
      request.url === '/jwks'
        ? { keys: [key.published] }
        : { issuer: url, jwks_uri: `${url}/jwks`, id_token_signing_alg_values_supported: [alg] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    fetches: () => fetched,
    sign(claims, { header = {}, key: other } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: url, aud: 'headgate', iat: now, exp: now + 600 };
      const heading = { alg, kid: String(key.published.kid), ...header };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader(heading).sign(other ?? key.privateKey);
    },
    async rotate() {
      rotations += 1;
      key = await newKey(alg, `key-${rotations}`);
    },
    setAway(isAway) {
      away = isAway;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
