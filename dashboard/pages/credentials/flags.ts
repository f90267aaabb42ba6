import type { ProviderCredential } from '../../../clients/headgate-api.ts';
import { many } from '../../text/format.ts';

export type Credential = ProviderCredential;

type Flags = Pick<Credential, 'is_required' | 'is_fallback' | 'is_byok_only'>;

/** How a credential stands to the shared capacity. */
export const uses = {
  first: { is_required: false, is_fallback: false, is_byok_only: false },
  instead: { is_required: true, is_fallback: false, is_byok_only: false },
  only: { is_required: false, is_fallback: false, is_byok_only: true },
  fallback: { is_required: false, is_fallback: true, is_byok_only: false },
  last: { is_required: true, is_fallback: true, is_byok_only: false },
} as const satisfies Readonly<Record<string, Flags>>;

export type Use = keyof typeof uses;

/** The name of what the flags of a credential mean together. */
export function useOf({ is_required: required, is_fallback: fallback, is_byok_only: only }: Flags): Use {
  if (only) return 'only';
  if (fallback) return required ? 'last' : 'fallback';
  return required ? 'instead' : 'first';
}

const meanings: Readonly<Record<Use, string>> = {
  first: 'First, then the shared capacity.',
  instead: 'Instead of the shared capacity, for what it covers.',
  only: 'Never the shared capacity of this provider.',
  fallback: 'Only after the shared capacity has failed.',
  last: 'After other own credentials; for what it covers, never the shared capacity.',
};

/** What the flags of a credential mean together, as one sentence. */
export function meaningOf(flags: Flags): string {
  return meanings[useOf(flags)];
}

/** What a credential is limited to, as one sentence; undefined without limits. @param keys Names of keys by hash. */
export function scopeOf(credential: Credential, keys: ReadonlyMap<string, string>): string | undefined {
  const { allowed_models: models, allowed_api_key_hashes: hashes, allowed_user_ids: users } = credential;
  if (models?.length === 0 || users?.length === 0) return 'For nothing: its list of models or users is empty';
  const parts = [
    ...(models == null ? [] : [shortList('model', models)]),
    ...(hashes === null ? [] : [namesOf(hashes, keys)]),
    ...(users == null ? [] : [shortList('user', users)]),
  ];
  return parts.length === 0 ? undefined : `Only for ${parts.join('; ')}`;
}

/** As many names as fit in a sentence. */
const mostNames = 3;

function shortList(one: string, names: readonly string[]): string {
  return `${one}${names.length === 1 ? '' : 's'} ${cut(names)}`;
}

function cut(names: readonly string[]): string {
  const more = names.length - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}

function namesOf(hashes: readonly string[], keys: ReadonlyMap<string, string>): string {
  const names = hashes.flatMap((hash) => keys.get(hash) ?? []);
  return names.length === hashes.length ? shortList('key', names) : many(hashes.length, 'key');
}
