import type { ProviderCredential } from '../../ports/credentials.ts';

/** A provider credential as the management interface shows it (docs/spec/credentials.md#fields); never its secret. */
export function showCredential(credential: ProviderCredential) {
  return {
    id: credential.id,
    workspace_id: credential.workspaceId,
    provider: credential.provider,
    name: credential.name,
    label: credential.label,
    disabled: credential.disabled,
    is_byok_only: credential.isByokOnly,
    is_fallback: credential.isFallback,
    is_required: credential.isRequired,
    declared_zdr: credential.declaredZdr,
    // Requests are not bound to regions here.
    declared_region: null,
    allowed_models: credential.allowedModels,
    allowed_api_key_hashes: credential.allowedKeyHashes,
    allowed_user_ids: credential.allowedUserIds,
    sort_order: credential.sortOrder,
    created_at: new Date(credential.createdAt).toISOString(),
  };
}

/** A credential of any account as the command line shows it in JSON, with whose it is. Never its secret. */
export function showCredentialOfAny(credential: ProviderCredential) {
  const { id, ...shown } = showCredential(credential);
  return { id, account_id: credential.accountId, ...shown };
}
