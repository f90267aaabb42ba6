import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { AllowedPhrase } from '../../ports/guardrails.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

/** How many phrases an account may have. */
const mostPhrases = 200;
/** Bytes of a phrase in UTF-8. */
const longestPhrase = 1_000;

/** The phrases of the account that are no prompt injection, oldest first. */
export async function listPhrases(
  actor: Actor,
  services: Uses<'accounts' | 'guardrails'>,
): Promise<readonly AllowedPhrase[]> {
  const { id } = await accountOf(actor, undefined, services);
  return services.storage.guardrails.phrases(id);
}

/**
 * Adds a phrase that is no prompt injection (docs/spec/guardrails.md#prompt-injection).
 * @throws HeadgateError `invalid_request` for one that is there already, empty or too long, and for too many.
 */
export function allowPhrase(
  actor: Actor,
  phrase: string,
  services: UsesToChange<'accounts' | 'guardrails'>,
): Promise<AllowedPhrase> {
  const action = 'allowlist.add';
  return notingRefusal({ actor, action }, services, async () => {
    if (phrase.trim() === '') throw malformed('phrase', 'must not be blank');
    if (Buffer.byteLength(phrase) > longestPhrase) {
      throw malformed('phrase', `must be at most ${longestPhrase} bytes in UTF-8`);
    }
    const { id: accountId } = await accountOf(actor, undefined, services);
    const createdBy = actor.kind === 'key' ? actor.userId : null;
    const allowed = { id: randomUUID(), phrase, createdAt: services.clock.now(), createdBy };
    const after = () => ({ phrase });
    const change = {
      actor,
      action,
      id: allowed.id,
      accountId,
      after,
      outdates: { kind: 'callers' },
    } as const;
    return makeChange(change, services, async ({ guardrails }) => {
      const refused = await guardrails.allow(accountId, allowed, mostPhrases);
      if (refused === 'is there already') throw malformed('phrase', 'is allowed already, whatever its case');
      if (refused === 'too many') {
        throw malformed('phrase', `the account has ${mostPhrases} phrases, which is the most; remove one`);
      }
      return allowed;
    });
  });
}

/** Removes a phrase. @throws HeadgateError `not_found`. */
export function disallowPhrase(
  actor: Actor,
  id: string,
  services: UsesToChange<'accounts' | 'guardrails'>,
): Promise<void> {
  const action = 'allowlist.remove';
  return notingRefusal({ actor, action, id }, services, async () => {
    const { id: accountId } = await accountOf(actor, undefined, services);
    const change = { actor, action, id, accountId, outdates: { kind: 'callers' } } as const;
    await makeChange(change, services, async ({ guardrails }) => {
      if (await guardrails.disallow(accountId, id.toLowerCase())) return;
      throw new HeadgateError('not_found', 'There is no such phrase in the allowlist of this account.');
    });
  });
}
