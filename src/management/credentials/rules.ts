import { HeadgateError } from '../../core/errors.ts';
import type { CredentialForms, WellFormedCredential } from '../../ports/credential-forms.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import { malformed } from '../../schema/fault.ts';
import { type Actor, refusal } from '../actor.ts';
import type { Uses } from '../services.ts';

const longestCredential = 16 * 1024;

/*
 * Rules of docs/spec/credentials.md#creating-a-credential that hold for every caller. No message repeats a value: a
 * credential may be in the wrong place.
 */

/** Rule 3. @throws HeadgateError `invalid_request` for a provider that credentials cannot be stored for. */
export function requireProvider(actor: Actor, provider: string, forms: CredentialForms): void {
  if (forms.has(provider)) return;
  throw refusal(
    actor,
    malformed('provider', 'is no provider known here; GET /api/v1/providers?all=true lists the slugs'),
    `there is no provider "${provider}"; see "headgate check" or docs/providers.md`,
  );
}

/** Rules 4 and 5. @throws HeadgateError `invalid_request` for a credential its provider would not take. */
export function readCredential(
  actor: Actor,
  provider: string,
  text: string,
  forms: CredentialForms,
): WellFormedCredential {
  if (text.trim() === '') {
    throw refusal(
      actor,
      malformed('key', 'is missing: expected the credential as a string'),
      'the credential is empty; give it on standard input or in a file with --key-file',
    );
  }
  if (Buffer.byteLength(text) > longestCredential) {
    const fault = `must be at most ${longestCredential} bytes`;
    throw refusal(actor, malformed('key', fault), `the credential ${fault}`);
  }
  try {
    return forms.read(provider, text);
  } catch (error) {
    if (!(error instanceof HeadgateError)) throw error;
    throw refusal(
      actor,
      malformed('key', `has not the form this provider asks for: ${error.message}`),
      `the credential has not the form ${provider} asks for: ${error.message}`,
    );
  }
}

/** Rule 13. Asked of the credential as it will be. @throws HeadgateError `invalid_request`. */
export function requireCompatible({
  isByokOnly,
  isFallback,
}: Pick<ProviderCredential, 'isByokOnly' | 'isFallback'>): void {
  if (isByokOnly && isFallback) {
    throw malformed('is_byok_only', 'excludes is_fallback: a credential is one or the other');
  }
}

/**
 * Rule 10 of docs/spec/credentials.md#creating-a-credential: a credential is only for inference keys of its account.
 * Unknown, foreign and deleted keys get the same answer.
 * @throws HeadgateError `invalid_request`.
 */
export async function requireOwnKeys(
  hashes: readonly string[] | null,
  accountId: string,
  { storage }: Uses<'keys'>,
  path = 'allowed_api_key_hashes',
): Promise<void> {
  const found = await Promise.all((hashes ?? []).map((hash) => storage.keys.findWithAccount(hash)));
  if (found.every((one) => one?.key.accountId === accountId && one.key.kind === 'inference')) return;
  throw malformed(path, 'holds a hash that is no inference key of this account');
}

const shortest = 12;
const longestKnownAs = 200;

/**
 * What of a credential may be shown for good (docs/spec/credentials.md#secrets-and-labels): the part of it that is no
 * secret, or both ends of a raw secret that is long enough to keep its middle to itself.
 */
export function credentialLabel({ secret, knownAs }: WellFormedCredential): string {
  if (knownAs !== undefined) return knownAs.slice(0, longestKnownAs);
  const text = secret.reveal();
  return text.length < shortest ? '...' : `${text.slice(0, 3)}...${text.slice(-4)}`;
}
