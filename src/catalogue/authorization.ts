import type { Provider } from '../core/catalogue.ts';
import { adapterNames } from './vocabulary.ts';

/** How each dialect sends a credential, for requests other than inference. */
const schemes: Readonly<Record<(typeof adapterNames)[number], (key: string) => Record<string, string>>> = {
  'openai-responses': bearer,
  'openai-chat': bearer,
  'anthropic-messages': (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  // A structured credential has one key for each of its parts.
  'azure-openai': (key): Record<string, string> => (/^\s*[[{]/.test(key) ? {} : { 'api-key': key }),
  'google-gemini': (key) => ({ 'x-goog-api-key': key }),
  // This dialect needs a token that must be fetched first.
  'google-vertex': () => ({}),
  // An access key signs single requests instead; without one the provider refuses them.
  'amazon-bedrock': (key) => (key.startsWith('{') ? {} : bearer(key)),
  sandbox: () => ({}),
};

/** The headers that carry a provider's credential; none when it has none. Never log them. */
export function authorizationOf({ adapter, apiKey }: Provider): Record<string, string> {
  const name = adapterNames.find((known) => known === adapter);
  return name === undefined || apiKey === undefined ? {} : schemes[name](apiKey.reveal());
}

/** The path of a provider's model list below its base address. */
export function modelListPath({ adapter }: Provider): string {
  // The default page size is 50.
  return adapter === 'google-gemini' ? '/models?pageSize=1000' : '/models';
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
