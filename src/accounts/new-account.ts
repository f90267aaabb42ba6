import { randomUUID } from 'node:crypto';
import { createId } from '../core/ids.ts';
import type { Account, BillingMode } from '../ports/accounts.ts';

/** The record of a new account with a workspace of its own. */
export function newAccount(name: string, billingMode: BillingMode, now: number): Account {
  return {
    id: createId('user_'),
    name,
    kind: 'personal',
    billingMode,
    freeLimitExempt: false,
    inflightExempt: false,
    zeroRetention: false,
    disabled: false,
    defaultWorkspaceId: randomUUID(),
    createdAt: now,
  };
}
