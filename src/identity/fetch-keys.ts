import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { KeySource } from '../core/workloads.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { readSecretFile } from '../util/read-secret-file.ts';
import { Client, request } from '../util/undici.ts';

const timeout = 5_000;
const largest = 256 * 1024;
const mostKeys = 100;

/** A set of public keys as an issuer publishes it. */
export interface PublishedKeys {
  readonly keys: readonly JsonObject[];
}

/**
 * Reads the keys of an issuer: from a file, from their address, or from the address that its discovery document names,
 * which must be of the same issuer. Follows no redirect, and stops after five seconds or 256 KiB.
 * @throws Error for the log; it holds no token.
 */
export async function fetchKeys(source: KeySource): Promise<PublishedKeys> {
  const { file, uri, issuer = '' } = source;
  if (file !== undefined) return readKeys(await readBounded(file), 'the file');
  const address = uri ?? (await discover(issuer, source));
  return readKeys(await fetchText(address, source), address);
}

async function discover(issuer: string, source: KeySource): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = parseJson(await fetchText(address, source));
  if (!isObject(document)) throw new Error(`${address} is no JSON object`);
  // Otherwise another issuer could be asked for the keys of this one.
  if (document.issuer !== issuer) throw new Error(`${address} names another issuer`);
  const { jwks_uri: uri } = document;
  if (typeof uri !== 'string') throw new Error(`${address} names no jwks_uri`);
  const isPlain = URL.parse(uri)?.protocol === 'http:' && URL.parse(issuer)?.protocol !== 'http:';
  if (URL.parse(uri) === null || isPlain) throw new Error(`${address} names a jwks_uri that is not https`);
  return uri;
}

async function fetchText(address: string, { caFile, fetchTokenFile }: KeySource): Promise<string> {
  const { origin, pathname, search } = new URL(address);
  const headers = {
    accept: 'application/json',
    ...(fetchTokenFile !== undefined && {
      authorization: `Bearer ${readSecretFile(fetchTokenFile).trim()}`,
    }),
  };
  const options = { method: 'GET', headers, signal: AbortSignal.timeout(timeout) } as const;
  if (caFile === undefined) return readAnswer(await request(address, options), address);
  const client = new Client(origin, { connect: { ca: readFileSync(caFile, 'utf8') } });
  try {
    return await readAnswer(await client.request({ ...options, path: pathname + search }), address);
  } finally {
    void client.destroy();
  }
}

async function readAnswer(
  answer: { readonly statusCode: number; readonly body: AsyncIterable<Uint8Array> },
  address: string,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const piece of answer.body) {
    length += piece.length;
    if (length > largest) throw new Error(`${address} answers more than ${largest} bytes`);
    pieces.push(piece);
  }
  if (answer.statusCode !== 200) throw new Error(`${address} answers ${answer.statusCode}`);
  return Buffer.concat(pieces).toString('utf8');
}

async function readBounded(file: string): Promise<string> {
  const bytes = await readFile(file);
  if (bytes.length > largest) throw new Error(`the file is larger than ${largest} bytes`);
  return bytes.toString('utf8');
}

function readKeys(text: string, place: string): PublishedKeys {
  const document = parseJson(text);
  const keys = isObject(document) ? document.keys : undefined;
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error(`${place} holds no set of keys`);
  if (keys.length > mostKeys) throw new Error(`${place} holds more than ${mostKeys} keys`);
  // Symmetric keys have no place in a published set, and would make their text a secret.
  return { keys: keys.filter(({ kty }) => kty !== 'oct') };
}
