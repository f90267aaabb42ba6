import { randomUUID } from 'node:crypto';
import type { ProviderCredential } from '../../src/ports/credentials.ts';

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
