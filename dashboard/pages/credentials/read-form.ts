import type { UpdateProviderCredential } from '../../../clients/headgate-api.ts';
import { type Credential, type Use, useOf, uses } from './flags.ts';

/** What a form of a credential says, besides its provider, workspace and secret. */
export type CredentialSettings = Required<
  Pick<
    UpdateProviderCredential,
    | 'name'
    | 'declared_zdr'
    | 'allowed_models'
    | 'allowed_api_key_hashes'
    | 'allowed_user_ids'
    | 'is_required'
    | 'is_fallback'
    | 'is_byok_only'
  >
>;

/** Reads the fields of the form. @throws Error where keys were to be chosen and none was. */
export function readCredentialForm(data: FormData): CredentialSettings {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const words = (name: string) => {
    const all = text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
    return all.length === 0 ? null : all;
  };
  const hashes = text('keys') === 'some' ? data.getAll('key_hash').map(String) : null;
  if (hashes?.length === 0) throw new Error('Choose at least one key, or all keys.');
  const retention = text('retention');
  return {
    name: text('name') === '' ? null : text('name'),
    ...uses[text('use') as Use],
    declared_zdr: retention === '' ? null : retention === 'none',
    allowed_models: words('allowed_models'),
    allowed_api_key_hashes: hashes,
    allowed_user_ids: words('allowed_user_ids'),
  };
}

/** What of the settings is new. Lists that stay are not sent, because keys in them may be deleted by now. */
export function changesOf(before: Credential, now: CredentialSettings): Partial<CredentialSettings> {
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const { is_required, is_fallback, is_byok_only, ...rest } = now;
  const changed = Object.entries(rest).filter(
    ([name, value]) => !isSame(before[name as keyof typeof rest], value),
  );
  const flags = useOf(before) === useOf(now) ? {} : { is_required, is_fallback, is_byok_only };
  return { ...Object.fromEntries(changed), ...flags };
}
