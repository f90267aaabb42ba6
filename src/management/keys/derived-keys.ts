import { isDeepStrictEqual } from 'node:util';
import { createRawKey, hashKey } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { DerivedKeySettings, WorkloadIssuer, WorkloadPolicy } from '../../core/workloads.ts';
import type { ApiKey, DerivedSubject } from '../../ports/keys.ts';
import { accountOf } from '../accounts/account-of.ts';
import { operator, system, type WorkloadActor } from '../actor.ts';
import { keyLook } from '../audit/looks.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';
import { newKey } from './keys.ts';

const longestName = 128;

/** Whose key is wanted. */
export interface WantedKey {
  readonly issuer: Pick<WorkloadIssuer, 'id'>;
  readonly policy: WorkloadPolicy;
  readonly subject: string;
}

type DeriveServices = Uses<'accounts' | 'workspaces' | 'keys' | 'transaction', 'clock' | 'invalidate'>;

/**
 * The hash of the key of a subject, which is made when the subject is first seen (docs/spec/workloads.md#derived-keys). No
 * secret opens it. Processes that see the subject at the same time agree on one.
 * @throws HeadgateError `permission_denied` for one subject more than the policy may have; what `accountOf` and
 *   `chooseWorkspace` say to the operator of a policy whose account or workspace is not there.
 */
export async function deriveKey(wanted: WantedKey, services: DeriveServices): Promise<string> {
  const { issuer, policy, subject } = wanted;
  const { clock, storage } = services;
  const account = await accountOf(operator, policy.account, services);
  const derived: DerivedSubject = { accountId: account.id, issuer: issuer.id, policy: policy.id, subject };
  const known = await storage.keys.findDerived(derived);
  if (known !== undefined) return known;
  const isManagement = policy.actsAs.kind === 'management';
  const workspaceId = isManagement
    ? null
    : await chooseWorkspace(operator, account, policy.workspace, services);
  const name = [...`${policy.id}: ${subject}`].slice(0, longestName).join('');
  // The text is thrown away: what opens the key is a token.
  const hash = hashKey(createRawKey());
  const key = newKey('', {
    accountId: account.id,
    workspaceId,
    kind: isManagement ? 'management' : 'inference',
    name,
    createdAt: clock.now(),
    hash,
    label: name,
    origin: 'derived',
    ...settingsOf(policy),
  });
  const actor: WorkloadActor = { kind: 'workload', keyHash: hash, label: name };
  const change = { actor, action: 'policy.subject', id: hash, accountId: account.id, workspaceId } as const;
  try {
    await makeChange({ ...change, look: keyLook(hash) }, services, async ({ keys }) => {
      const meanwhile = await keys.findDerived(derived);
      if (meanwhile !== undefined) throw new DerivedMeanwhile(meanwhile);
      if (await keys.derive(key, derived, policy.maxSubjects)) return;
      throw new HeadgateError('permission_denied', 'This policy has as many subjects as it may have.', {
        metadata: { reason: 'too_many_subjects' },
      });
    });
  } catch (error) {
    if (error instanceof DerivedMeanwhile) return error.hash;
    throw error;
  }
  return hash;
}

/** Another process was quicker; nothing is stored. */
class DerivedMeanwhile extends Error {
  readonly hash: string;

  constructor(hash: string) {
    super('the key was derived meanwhile');
    this.hash = hash;
  }
}

function settingsOf({ actsAs }: WorkloadPolicy): Partial<ApiKey> {
  if (actsAs.kind === 'management') return { role: actsAs.role };
  return actsAs.kind === 'inference' ? actsAs.settings : {};
}

/** Whether a derived key is what its policy says now. */
export function isAsDeclared(key: ApiKey, { actsAs }: WorkloadPolicy): boolean {
  if (actsAs.kind === 'management') return key.role === actsAs.role;
  if (actsAs.kind === 'key') return true;
  const names = Object.keys(actsAs.settings) as (keyof DerivedKeySettings)[];
  return names.every((name) => isDeepStrictEqual(key[name], actsAs.settings[name]));
}

/** Makes a derived key what its policy says now. Effective at once in this process. */
export async function alignKey(
  { hash: id, accountId, workspaceId }: ApiKey,
  policy: WorkloadPolicy,
  services: Uses<'transaction', 'clock' | 'invalidate'>,
): Promise<void> {
  const outdates = { kind: 'callers', keyHash: id } as const;
  await makeChange(
    { actor: system, action: 'key.update', id, accountId, workspaceId, look: keyLook(id), outdates },
    services,
    ({ keys }) => keys.update(id, settingsOf(policy), services.clock.now()),
  );
}
