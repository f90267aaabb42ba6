import type { ProviderCredential } from '../../src/ports/credentials.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { testCredential } from '../support/credentials.ts';

/**
 * Two models, each at the providers a, b and c; a is the cheapest. Credentials are written as they are told below:
 * a name, its provider and what sets it apart.
 */
export interface CredentialCase {
  readonly name: string;
  readonly credentials: readonly ProviderCredential[];
  readonly model?: 'acme/inside' | 'acme/outside';
  readonly provider?: Record<string, unknown>;
  /** Each attempt as provider and credential, in order; `a` alone is the shared endpoint of a. */
  readonly attempts: readonly string[];
}

const slugs = ['a', 'b', 'c'];
const providers = slugs.map((slug, index) =>
  providerOf({
    slug,
    adapter: 'scripted',
    retainsPrompts: slug === 'a',
    baseUrl: `http://127.0.0.1:${index + 1}`,
  }),
);

/** The models of the cases. */
export const credentialModels = ['acme/inside', 'acme/outside'].map((id) => modelOf(id, providers));

type Flags = Partial<Pick<ProviderCredential, 'isFallback' | 'isRequired' | 'isByokOnly'>>;

function own(id: string, provider: string, change: Partial<ProviderCredential> = {}): ProviderCredential {
  return testCredential({ id, provider, accountId: 'user_1', ...change });
}

const fallback = { isFallback: true } satisfies Flags;
const required = { isRequired: true } satisfies Flags;
const only = { isByokOnly: true } satisfies Flags;

/**
 * The rows of docs/spec/credentials.md#flags for a credential `k` of provider a that covers acme/inside only. Provider
 * b has shared endpoints alone: it shows what is skipped, and where own credentials of either kind stand.
 */
const truthTable: readonly (readonly [Flags, inside: string[], outside: string[]])[] = [
  [{}, ['a:k', 'a', 'b'], ['a', 'b']],
  [required, ['a:k', 'b'], ['a', 'b']],
  [only, ['a:k', 'b'], ['b']],
  [{ ...required, ...only }, ['a:k', 'b'], ['b']],
  [fallback, ['a', 'b', 'a:k'], ['a', 'b']],
  [{ ...fallback, ...required }, ['b', 'a:k'], ['a', 'b']],
];

const tableCases: readonly CredentialCase[] = truthTable.flatMap(([flags, whenInside, whenOutside]) => {
  const credentials = [own('k', 'a', { ...flags, allowedModels: ['acme/inside'] })];
  const words = Object.keys(flags).join(' and ') || 'no flag';
  const provider = { only: ['a', 'b'] };
  return [
    { name: `${words}, model inside the filter`, credentials, provider, attempts: whenInside },
    {
      name: `${words}, model outside the filter`,
      credentials,
      model: 'acme/outside' as const,
      provider,
      attempts: whenOutside,
    },
  ];
});

const inside = { allowedModels: ['acme/inside'] };
const orderAbc = { order: ['a', 'b', 'c'] };

const workedOrders: readonly CredentialCase[] = [
  {
    name: 'order [a, b, c], prioritized for b, fallback for a',
    credentials: [own('kb', 'b'), own('ka', 'a', fallback)],
    provider: orderAbc,
    attempts: ['b:kb', 'a', 'b', 'c', 'a:ka'],
  },
  {
    name: 'order [a, b] with a credential for b only',
    credentials: [own('kb', 'b')],
    provider: { order: ['a', 'b'], allow_fallbacks: true, only: ['a', 'b'] },
    attempts: ['b:kb', 'a', 'b'],
  },
  {
    name: 'one required for the model, one for all: both, never the shared one',
    credentials: [own('k1', 'a', { ...inside, ...required }), own('k2', 'a', { sortOrder: 1 })],
    provider: { only: ['a'] },
    attempts: ['a:k1', 'a:k2'],
  },
  {
    name: 'the same two and another model: the one for all, then the shared one',
    credentials: [own('k1', 'a', { ...inside, ...required }), own('k2', 'a', { sortOrder: 1 })],
    model: 'acme/outside',
    provider: { only: ['a'] },
    attempts: ['a:k2', 'a'],
  },
  {
    name: 'within a provider by place, whatever order they are stored in',
    credentials: [own('k2', 'a', { sortOrder: 2 }), own('k0', 'a'), own('k1', 'a', { sortOrder: 1 })],
    provider: { only: ['a'] },
    attempts: ['a:k0', 'a:k1', 'a:k2', 'a'],
  },
  {
    name: 'own only for another model: the provider is skipped, its other credential serves',
    credentials: [own('k1', 'a', { ...inside, ...only }), own('k2', 'a', { sortOrder: 1 })],
    model: 'acme/outside',
    attempts: ['a:k2', 'b', 'c'],
  },
  {
    name: 'no fallbacks: the first copy alone',
    credentials: [own('kb', 'b'), own('ka', 'a', fallback)],
    provider: { allow_fallbacks: false },
    attempts: ['b:kb'],
  },
  {
    name: 'no fallbacks with an order: each listed endpoint once',
    credentials: [own('kb', 'b')],
    provider: { order: ['a', 'b'], allow_fallbacks: false },
    attempts: ['b:kb', 'a'],
  },
  {
    name: 'a credential never lifts what the request rules out',
    credentials: [own('ka', 'a')],
    provider: { ignore: ['a'] },
    attempts: ['b', 'c'],
  },
  {
    name: 'declared to retain nothing: its copy passes, the shared one does not',
    credentials: [own('ka', 'a', { declaredZdr: true }), own('kb', 'b', { declaredZdr: false })],
    provider: { zdr: true },
    attempts: ['a:ka', 'b', 'c'],
  },
];

/** Every row of the truth table of docs/spec/credentials.md#flags, inside and outside, and the orders of 6.4. */
export const credentialCases: readonly CredentialCase[] = [...tableCases, ...workedOrders];
