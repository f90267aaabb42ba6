import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { Account } from '../../ports/accounts.ts';
import type { AllowedPhrase, AssigneeKind, GuardrailAssignment } from '../../ports/guardrails.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { findGuardrail } from './guardrails.ts';

type AssignServices = UsesToChange<'accounts' | 'workspaces' | 'guardrails' | 'keys' | 'members'>;

/** Keys by hash or members by user id, and the guardrail that is meant. */
export interface AssignmentInput {
  readonly guardrailId: string;
  readonly kind: AssigneeKind;
  readonly subjects: readonly string[];
}

/**
 * Assigns a guardrail to keys or members, in place of the ones they had. Returns how many have it now of those that are named.
 * @throws HeadgateError `not_found` for the guardrail; `invalid_request` for a key or member that the account does not have.
 */
export function assignGuardrail(
  actor: Actor,
  { guardrailId, kind, subjects }: AssignmentInput,
  services: AssignServices,
): Promise<number> {
  const action = 'guardrail.assign';
  return notingRefusal({ actor, action, id: guardrailId }, services, async () => {
    const { id, accountId, workspaceId } = await findGuardrail(actor, guardrailId, services);
    const wanted = [...new Set(subjects)];
    for (const [index, subject] of wanted.entries()) {
      await requireSubject(accountId, kind, { subject, index }, services);
    }
    const by = actor.kind === 'key' ? actor.userId : null;
    const after = () => ({ [kind]: wanted });
    await makeChange(
      { actor, action, id, accountId, workspaceId, after, outdates: { kind: 'callers' } },
      services,
      ({ guardrails }) => {
        const assigning = { accountId, guardrailId: id, kind, subjects: wanted };
        return guardrails.assign(assigning, by, services.clock.now());
      },
    );
    return wanted.length;
  });
}

/** Takes a guardrail from keys or members; returns from how many that had it. @throws HeadgateError `not_found`. */
export function unassignGuardrail(
  actor: Actor,
  { guardrailId, kind, subjects }: AssignmentInput,
  services: AssignServices,
): Promise<number> {
  const action = 'guardrail.unassign';
  return notingRefusal({ actor, action, id: guardrailId }, services, async () => {
    const { id, accountId, workspaceId } = await findGuardrail(actor, guardrailId, services);
    const after = () => ({ [kind]: subjects });
    return makeChange(
      { actor, action, id, accountId, workspaceId, after, outdates: { kind: 'callers' } },
      services,
      ({ guardrails }) =>
        guardrails.unassign({ accountId, guardrailId: id, kind, subjects: [...new Set(subjects)] }),
    );
  });
}

/** A page of the assignments of one guardrail or of all. @throws HeadgateError `not_found`. */
export async function listAssignments(
  actor: Actor,
  query: {
    readonly guardrailId?: string;
    readonly kind: AssigneeKind;
    readonly offset: number;
    readonly limit: number;
  },
  services: Uses<'accounts' | 'workspaces' | 'guardrails'>,
): Promise<{
  readonly account: Account;
  readonly assignments: readonly GuardrailAssignment[];
  readonly total: number;
}> {
  const account = await accountOf(actor, undefined, services);
  const { guardrailId, ...page } = query;
  const id = guardrailId === undefined ? undefined : (await findGuardrail(actor, guardrailId, services)).id;
  const chosen = { ...page, accountId: account.id, ...(id !== undefined && { guardrailId: id }) };
  return { account, ...(await services.storage.guardrails.assignments(chosen)) };
}

async function requireSubject(
  accountId: string,
  kind: AssigneeKind,
  { subject, index }: { readonly subject: string; readonly index: number },
  { storage }: Uses<'keys' | 'members'>,
): Promise<void> {
  if (kind === 'member') {
    if ((await storage.members.find(accountId, subject)) !== undefined) return;
    throw malformed(`member_user_ids[${index}]`, 'is no member of this organization');
  }
  const found = await storage.keys.findWithAccount(subject);
  if (found?.key.accountId === accountId && found.key.kind === 'inference') return;
  throw malformed(`key_hashes[${index}]`, 'is no key of this account');
}

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
