import { randomUUID } from 'node:crypto';
import { createId } from '../../core/ids.ts';
import type { Account, BillingMode } from '../../ports/accounts.ts';

/** The record of a new account with a workspace of its own; in an organization keys may have creators. */
export function newAccount(
  name: string,
  billingMode: BillingMode,
  now: number,
  kind: Account['kind'] = 'personal',
): Account {
  return {
    id: createId(kind === 'organization' ? 'org_' : 'user_'),
    name,
    kind,
    billingMode,
    freeLimitExempt: false,
    inflightExempt: false,
    zeroRetention: false,
    disabled: false,
    defaultWorkspaceId: randomUUID(),
    createdAt: now,
  };
}
