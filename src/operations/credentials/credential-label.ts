import type { WellFormedCredential } from '../../ports/credential-forms.ts';

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
