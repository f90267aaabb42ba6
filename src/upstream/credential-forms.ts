import type { Provider } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import { Secret } from '../util/secret.ts';
import { isSendable } from '../util/sendable.ts';
import { readOwnAccessKey } from './amazon-bedrock/own-credential.ts';
import { readOwnResources } from './azure-openai/own-credential.ts';
import { readOwnServiceAccount } from './google-vertex/own-credential.ts';

/**
 * Checks a provider's structured credential (its `apiKey`) and returns the name by which people know it.
 * @throws HeadgateError `upstream_credential`.
 */
type ReadOwn = (provider: Provider) => string | undefined;

/** By adapter; all others take one opaque secret. */
const structured: Readonly<Record<string, ReadOwn>> = {
  'amazon-bedrock': readOwnAccessKey,
  'azure-openai': readOwnResources,
  'google-vertex': readOwnServiceAccount,
};

const looksStructured = /^\s*[[{]/;

/** A key of several lines would be stored, and then every call would fail as if the provider were down. */
function refuseUnsendable(key: string): void {
  if (!isSendable(key)) {
    throw new HeadgateError('upstream_credential', 'it holds characters that cannot be sent');
  }
}

/**
 * @param providerOf The provider of a slug, whether enabled or not; undefined when there is none.
 * @param providers All of these.
 */
export function createCredentialForms(
  providerOf: (slug: string) => Provider | undefined,
  providers: () => readonly Provider[],
): CredentialForms {
  return {
    providers,
    has: (slug) => providerOf(slug) !== undefined,
    read(slug, text) {
      const secret = new Secret(text.trim());
      const provider = providerOf(slug);
      const read = provider === undefined ? undefined : structured[provider.adapter];
      if (read === undefined || !looksStructured.test(text)) refuseUnsendable(text.trim());
      if (provider === undefined || read === undefined) return { secret, knownAs: undefined };
      return { secret, knownAs: read({ ...provider, apiKey: secret }) };
    },
  };
}
