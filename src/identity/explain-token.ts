import type { ClaimValue, WorkloadIssuer, WorkloadPolicy } from '../core/workloads.ts';
import type { JsonObject } from '../util/json.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { claimOf, matchPolicy, subjectOf } from './match-policy.ts';
import { KeysUnavailable, TokenFault } from './token-fault.ts';
import { looksLikeToken, readToken, verifyToken } from './verify-token.ts';

/** One thing that is asked of a token, in the order a server asks. */
export interface ExplainedStep {
  readonly step: 'form' | 'issuer' | 'token' | 'policy' | 'subject';
  readonly ok: boolean;
  /** What was found, for the operator: names and values of claims, never the token. */
  readonly says: string;
}

/**
 * Judges a token as a server with these issuers would, and says what came of each step; the first that fails is the last.
 * Stores nothing.
 * @param now Unix milliseconds.
 */
export async function explainToken(
  token: string,
  issuers: readonly WorkloadIssuer[],
  now: number,
): Promise<readonly ExplainedStep[]> {
  const steps: ExplainedStep[] = [];
  const note = (step: ExplainedStep['step'], ok: boolean, says: string) => {
    steps.push({ step, ok, says });
    return ok;
  };
  if (!looksLikeToken(token)) {
    note('form', false, 'is no signed JWT of at most 8 KiB; a server takes it for a key');
    return steps;
  }
  try {
    const { claims } = readToken(token);
    note('form', true, 'is a JWT');
    const issuer = issuers.find((one) => one.issuer === claims.iss);
    if (!note('issuer', issuer !== undefined, saysOfIssuer(claims, issuer, issuers)) || !issuer) return steps;
    const failures: string[] = [];
    const keys = new IssuerKeys(
      issuer.keys,
      issuer.staleKeys,
      () => now,
      (why) => failures.push(why),
    );
    const verified = await verifyToken(token, issuer, keys, now).catch((error: unknown) => {
      if (error instanceof KeysUnavailable) throw new KeysUnavailable(failures.join('; '));
      throw error;
    });
    note('token', true, 'signature, audience and times are right');
    const policy = matchPolicy(issuer.policies, verified);
    if (policy === undefined) {
      for (const one of issuer.policies) note('policy', false, saysOfPolicy(one, verified));
      return steps;
    }
    note('policy', true, `"${policy.id}" fits: it acts as ${policy.actsAs.kind}`);
    const subject = subjectOf(policy, verified);
    note(
      'subject',
      subject !== undefined,
      subject ?? `a claim of ${policy.subject.join(', ')} is missing or no name`,
    );
  } catch (error) {
    const isKnown = error instanceof TokenFault || error instanceof KeysUnavailable;
    if (!isKnown) throw error;
    const reason = error instanceof TokenFault ? error.reason : 'keys cannot be read';
    note(steps.length === 0 ? 'form' : 'token', false, `${reason}: ${error.message}`);
  }
  return steps;
}

function saysOfIssuer(
  { iss }: JsonObject,
  issuer: WorkloadIssuer | undefined,
  issuers: readonly WorkloadIssuer[],
): string {
  if (issuer !== undefined) return `"${issuer.id}" (${issuer.issuer})`;
  const known = issuers.map((one) => one.issuer).join(', ') || 'none';
  return `iss is ${JSON.stringify(iss ?? null)}; auth.workloads knows ${known}`;
}

function saysOfPolicy({ id, conditions }: WorkloadPolicy, claims: JsonObject): string {
  const unmet = Object.entries(conditions).find(
    ([name, wanted]) => matchPolicy([onlyOf(name, wanted)], claims) === undefined,
  );
  if (unmet === undefined) return `"${id}" fits`;
  const [name, wanted] = unmet;
  const found = JSON.stringify(claimOf(claims, name) ?? null);
  return `"${id}" wants ${name} to be ${wanted.map((one) => JSON.stringify(one)).join(' or ')}; it is ${found}`;
}

/** A policy that asks for one claim and nothing else. */
function onlyOf(name: string, wanted: readonly ClaimValue[]): WorkloadPolicy {
  return {
    id: '',
    conditions: { [name]: wanted },
    subject: [],
    actsAs: { kind: 'key', hash: '' },
    maxSubjects: 1,
  };
}
