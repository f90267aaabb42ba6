import type { CredentialChange, ProviderCredential, SealedSecret } from '../../ports/credentials.ts';
import { rawSql } from './statement.ts';
import { isSet } from './values.ts';

/** A row of `provider_credentials`. */
export interface CredentialRow {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly provider: string;
  readonly name: string | null;
  readonly label: string;
  readonly disabled: bigint;
  readonly is_byok_only: bigint;
  readonly is_fallback: bigint;
  readonly is_required: bigint;
  readonly declared_zdr: bigint | null;
  readonly allowed_models: string | null;
  readonly allowed_key_hashes: string | null;
  readonly allowed_user_ids: string | null;
  readonly sort_order: bigint;
  readonly created_at: bigint;
}

/** The columns that hold a secret; all null once the credential is deleted. */
export interface SealedRow {
  readonly ciphertext: string | null;
  readonly nonce: string | null;
  readonly master_key_id: string | null;
}

/** By provider, place and age. */
export const credentialOrder = rawSql('order by provider, sort_order, created_at, id');

/** The credential a row holds. */
export function credentialFromRow(row: CredentialRow): ProviderCredential {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    provider: row.provider,
    name: row.name,
    label: row.label,
    disabled: isSet(row.disabled),
    isByokOnly: isSet(row.is_byok_only),
    isFallback: isSet(row.is_fallback),
    isRequired: isSet(row.is_required),
    declaredZdr: row.declared_zdr === null ? null : isSet(row.declared_zdr),
    allowedModels: listFrom(row.allowed_models),
    allowedKeyHashes: listFrom(row.allowed_key_hashes),
    allowedUserIds: listFrom(row.allowed_user_ids),
    sortOrder: Number(row.sort_order),
    createdAt: Number(row.created_at),
  };
}

/** The secret a row holds, or undefined when it was wiped. */
export function sealedFromRow(row: SealedRow): SealedSecret | undefined {
  const { ciphertext, nonce, master_key_id: masterKeyId } = row;
  if (ciphertext === null || nonce === null || masterKeyId === null) return undefined;
  return { ciphertext, nonce, masterKeyId };
}

/** A list as its column keeps it. */
export function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

/** A credential after a change; members that are absent stay. */
export function changed(current: ProviderCredential, change: CredentialChange): ProviderCredential {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...current, ...given };
}

function listFrom(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as readonly string[]);
}
