import type { Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { readCredential } from './read-credential.ts';

/**
 * Checks an account's own credential: resources and deployments, but not a bare key, which names no host. Returns the
 * name of its first resource, or the host of its first deployment.
 * @throws HeadgateError `upstream_credential`.
 */
export function readOwnResources(provider: Provider): string | undefined {
  const text = provider.apiKey?.reveal() ?? '';
  if (!/^[[{]/.test(text)) {
    throw new HeadgateError('upstream_credential', 'it must be a JSON array of resources and deployments');
  }
  const [first] = readCredential(text, provider.baseUrl);
  if (first === undefined) return undefined;
  return first.kind === 'deployment'
    ? URL.parse(first.origin)?.hostname
    : URL.parse(first.baseUrl)?.hostname.split('.')[0];
}
