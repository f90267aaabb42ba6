import type { ProviderCredential } from '../../../clients/headgate-api.ts';

export type Credential = ProviderCredential;

/** What the flags of a credential mean together, as one sentence. */
export function meaningOf({
  is_required: required,
  is_fallback: fallback,
  is_byok_only: only,
}: Pick<Credential, 'is_required' | 'is_fallback' | 'is_byok_only'>): string {
  if (only) return 'Never the shared capacity of this provider.';
  if (fallback && required)
    return 'After other own credentials; for what it covers, never the shared capacity.';
  if (fallback) return 'Only after the shared capacity has failed.';
  return required
    ? 'Instead of the shared capacity, for what it covers.'
    : 'First, then the shared capacity.';
}

/** What a credential is limited to, as one sentence; undefined without limits. */
export function scopeOf(credential: Credential): string | undefined {
  const { allowed_models: models, allowed_api_key_hashes: keys, allowed_user_ids: users } = credential;
  const parts = [
    ...(models === null ? [] : [`models ${models.join(', ')}`]),
    ...(keys === null ? [] : [`${keys.length} of the keys`]),
    ...(users === null ? [] : [`users ${users.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : `Only for ${parts.join('; ')}`;
}
