import { randomUUID } from 'node:crypto';
import type { ByokTerms } from '../../src/core/byok-fee.ts';
import { parseUsd } from '../../src/core/money.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';

/** What own credentials cost by default. */
export const plainByokTerms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: parseUsd(25_000) };

/** An enabled credential without flags or filters, of no account in particular. */
export function testCredential(change: Partial<ProviderCredential> = {}): ProviderCredential {
  return {
    id: randomUUID(),
    accountId: 'user_test',
    workspaceId: null,
    provider: 'north',
    name: null,
    label: 'sk-...wxyz',
    disabled: false,
    isByokOnly: false,
    isFallback: false,
    isRequired: false,
    declaredZdr: null,
    allowedModels: null,
    allowedKeyHashes: null,
    allowedUserIds: null,
    sortOrder: 0,
    createdAt: 0,
    ...change,
  };
}
