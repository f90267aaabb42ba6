import type { ClaimValue, WorkloadPolicy } from '../core/workloads.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** Characters that the name of a subject may have. */
const longestSubject = 512;

/**
 * The first policy that fits the claims of a token (docs/spec/workloads.md#policies): every condition names a claim, and
 * one of what it asks for is that claim, letter by letter or with one `*` for any characters.
 */
export function matchPolicy(
  policies: readonly WorkloadPolicy[],
  claims: JsonObject,
): WorkloadPolicy | undefined {
  return policies.find(({ conditions }) =>
    Object.entries(conditions).every(([name, wanted]) => {
      const claim = claimOf(claims, name);
      // A claim that is a list fits by any of its entries.
      const held = Array.isArray(claim) ? claim : [claim];
      return held.some((one) => wanted.some((value) => fits(value, one)));
    }),
  );
}

/**
 * A claim by its name, which is tried whole, then split at its last dot, then at the one before: `kubernetes.io.namespace`
 * is `namespace` of `kubernetes.io`. Undefined where it is not there.
 */
export function claimOf(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const [head, rest] = [name.slice(0, dot), name.slice(dot + 1)];
    const inner = Object.hasOwn(claims, head) ? claims[head] : undefined;
    const found = isObject(inner) ? claimOf(inner, rest) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function fits(wanted: ClaimValue, claim: unknown): boolean {
  if (typeof wanted !== 'string') return claim === wanted;
  if (typeof claim !== 'string') return false;
  const star = wanted.indexOf('*');
  if (star < 0) return claim === wanted;
  const [start, end] = [wanted.slice(0, star), wanted.slice(star + 1)];
  return claim.length >= start.length + end.length && claim.startsWith(start) && claim.endsWith(end);
}

/**
 * Whose a token is, by the claims that a policy names: the one claim as text, several as the JSON of a list, so that no two
 * subjects share a name. Undefined where a claim is missing, is neither text nor number, or makes the name too long.
 */
export function subjectOf({ subject }: WorkloadPolicy, claims: JsonObject): string | undefined {
  const values = subject.map((name) => claimOf(claims, name));
  const isNamed = values.every((one) => typeof one === 'number' || (typeof one === 'string' && one !== ''));
  if (!isNamed) return undefined;
  const name = values.length === 1 ? String(values[0]) : JSON.stringify(values);
  const isStorable = name.isWellFormed() && !name.includes('\u0000');
  return name.length <= longestSubject && isStorable ? name : undefined;
}
