import type { JSONWebKeySet, JWTHeaderParameters } from 'jose';
import type { WorkloadIssuer } from '../core/workloads.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import type { PublishedKeys } from './fetch-keys.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { TokenFault } from './token-fault.ts';

/** Characters that a token may have. */
export const longestToken = 8 * 1024;

const tokenTypes = ['jwt', 'at+jwt', 'application/at+jwt'];

/** Whether a text is a JWT by its looks: keys of this service never are. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith('ey') && text.length <= longestToken && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** A token as it says of itself, of which nothing is believed yet. */
export interface ReadToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Reads a token without believing it. @throws TokenFault `jwt_malformed`. */
export function readToken(token: string): ReadToken {
  const [header, claims] = token
    .split('.', 2)
    .map((part) => parseJson(Buffer.from(part, 'base64url').toString()));
  if (!isObject(header) || !isObject(claims) || typeof header.alg !== 'string') {
    throw new TokenFault('jwt_malformed', 'is no JWT whose header and claims are JSON');
  }
  return { header, claims };
}

/**
 * Verifies a token of an issuer (docs/spec/workloads.md#what-a-token-must-be): its algorithm, its signature by a key of the
 * issuer, audience, type and times. Keys that the token brings or points to are never looked at.
 * @param now Unix milliseconds.
 * @returns Its claims.
 * @throws TokenFault saying what is wrong, KeysUnavailable where the keys to judge it cannot be read.
 */
export async function verifyToken(
  token: string,
  issuer: WorkloadIssuer,
  keys: Pick<IssuerKeys, 'current' | 'lookFor'>,
  now: number,
): Promise<JsonObject> {
  const { header, claims } = readToken(token);
  if (claims.iss !== issuer.issuer) throw new TokenFault('jwt_issuer', 'iss is another issuer');
  requireAlgorithm(header, issuer);
  const { exp } = claims;
  if (typeof exp !== 'number') throw new TokenFault('jwt_malformed', 'exp is missing');
  if (exp * 1000 + issuer.leeway <= now) throw new TokenFault('token_expired', 'exp has passed');
  requireLifetime(claims, exp, issuer, now);
  requireAudience(claims, issuer);
  const published = await keysFor(header, keys);
  return verifySignature(token, published, { issuer, now });
}

function requireAlgorithm({ alg, typ, crit }: JsonObject, { algorithms }: WorkloadIssuer): void {
  if (!algorithms.some((one) => one === alg)) {
    throw new TokenFault('jwt_algorithm', `alg is none of ${algorithms.join(', ')}`);
  }
  if (crit !== undefined)
    throw new TokenFault('jwt_malformed', 'crit names extensions that are not known here');
  const isKnown = typ === undefined || (typeof typ === 'string' && tokenTypes.includes(typ.toLowerCase()));
  if (!isKnown) throw new TokenFault('jwt_type', `typ is none of ${tokenTypes.join(', ')}`);
}

function requireLifetime(
  { iat, nbf }: JsonObject,
  exp: number,
  { leeway, maxLifetime }: WorkloadIssuer,
  now: number,
): void {
  for (const [name, time] of [
    ['iat', iat],
    ['nbf', nbf],
  ] as const) {
    if (time === undefined) continue;
    if (typeof time !== 'number') throw new TokenFault('jwt_malformed', `${name} is no number`);
    if (time * 1000 > now + leeway) {
      const late = Math.round(time - now / 1000);
      throw new TokenFault('jwt_not_yet_valid', `${name} lies ${late} s in the future: compare the clocks`);
    }
  }
  const since = typeof iat === 'number' ? iat * 1000 : now;
  if (exp * 1000 - since > maxLifetime) {
    throw new TokenFault('jwt_too_long_lived', 'from iat to exp is longer than max_lifetime');
  }
}

function requireAudience({ aud }: JsonObject, { audiences }: WorkloadIssuer): void {
  if ([aud].flat().some((one) => typeof one === 'string' && audiences.includes(one))) return;
  throw new TokenFault('jwt_audience', 'aud names none of the audiences');
}

/** The keys that may have signed, read again where the one that is named is not among them. */
async function keysFor(
  { kid }: JsonObject,
  keys: Pick<IssuerKeys, 'current' | 'lookFor'>,
): Promise<PublishedKeys> {
  const current = await keys.current();
  if (typeof kid !== 'string' || current.keys.some((key) => key.kid === kid)) return current;
  const again = await keys.lookFor(kid);
  if (again === undefined) throw new TokenFault('jwt_signature', 'no key of the issuer has this kid');
  return again;
}

async function verifySignature(
  token: string,
  published: PublishedKeys,
  { issuer, now }: { readonly issuer: WorkloadIssuer; readonly now: number },
): Promise<JsonObject> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const options = {
    algorithms: [...issuer.algorithms],
    issuer: issuer.issuer,
    audience: [...issuer.audiences],
    clockTolerance: issuer.leeway / 1000,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  };
  // Only these members: what a token's header says of keys must not choose how they are used.
  const select = createLocalJWKSet({ keys: [...published.keys] } as unknown as JSONWebKeySet);
  try {
    const selectPlain = ({ alg, kid }: JWTHeaderParameters) =>
      select({ alg, ...(kid !== undefined && { kid }) });
    return (await jwtVerify(token, selectPlain, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      for await (const key of error) {
        const claims = await jwtVerify(token, key, options).catch(() => undefined);
        if (claims !== undefined) return claims.payload;
      }
    }
    throw new TokenFault('jwt_signature', 'no key of the issuer signed it');
  }
}
