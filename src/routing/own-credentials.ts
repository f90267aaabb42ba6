import type { Catalogue } from '../core/catalogue.ts';
import { isForKey } from '../ports/credential-scope.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { EndpointAccess } from '../ports/endpoint-statistics.ts';
import type { ApiKey } from '../ports/keys.ts';
import type { Candidate } from './candidates.ts';
import type { Target } from './route-plan.ts';

/**
 * The credentials that a key may use, whatever the model (docs/spec/credentials.md#selection), by provider and
 * position. A credential that fails any condition has no effect, not even that of removing shared endpoints.
 */
export function credentialsForKey(
  credentials: readonly ProviderCredential[],
  key: ApiKey,
): readonly ProviderCredential[] {
  if (credentials.length === 0) return credentials;
  return credentials.filter((credential) => !credential.disabled && isForKey(credential, key));
}

/** The effect of the account's own credentials at one provider for one model. */
export interface CredentialsAtProvider {
  /** Those that cover the model, in the order of their positions. */
  readonly covering: readonly ProviderCredential[];
  /** Whether the provider's shared endpoints must not be used (docs/spec/credentials.md#flags). */
  readonly sharedRemoved: boolean;
}

const nothing: CredentialsAtProvider = { covering: [], sharedRemoved: false };

/** The account's own credentials during one plan. */
export class OwnCredentials {
  readonly #byProvider = new Map<string, ProviderCredential[]>();
  readonly #known = new Map<Candidate, Map<string, CredentialsAtProvider>>();
  readonly #catalogue: Catalogue;

  /** @param credentials The result of `credentialsForKey`. */
  constructor(credentials: readonly ProviderCredential[], catalogue: Catalogue) {
    this.#catalogue = catalogue;
    for (const credential of credentials) {
      const others = this.#byProvider.get(credential.provider);
      if (others === undefined) this.#byProvider.set(credential.provider, [credential]);
      else others.push(credential);
    }
    for (const list of this.#byProvider.values()) list.sort((one, other) => one.sortOrder - other.sortOrder);
  }

  /** Their effect for a candidate at a provider, which is named by its slug. */
  at(candidate: Candidate, provider: string): CredentialsAtProvider {
    const own = this.#byProvider.get(provider);
    if (own === undefined) return nothing;
    let ofCandidate = this.#known.get(candidate);
    if (ofCandidate === undefined) {
      ofCandidate = new Map();
      this.#known.set(candidate, ofCandidate);
    }
    let known = ofCandidate.get(provider);
    if (known === undefined) {
      known = this.#judge(own, candidate);
      ofCandidate.set(provider, known);
    }
    return known;
  }

  /**
   * The truth table: `is_byok_only` removes shared endpoints for every model, `is_required` only for covered ones.
   */
  #judge(own: readonly ProviderCredential[], candidate: Candidate): CredentialsAtProvider {
    const names = namesOf(candidate);
    const covering = own.filter(({ allowedModels }) => this.#covers(allowedModels, names));
    const sharedRemoved =
      own.some(({ isByokOnly }) => isByokOnly) || covering.some(({ isRequired }) => isRequired);
    return { covering, sharedRemoved };
  }

  /**
   * Compares the slug as written, the id that it resolves to and the canonical slug, all without variants.
   */
  #covers(allowed: readonly string[] | null, names: ReadonlySet<string>): boolean {
    if (allowed === null) return true;
    return allowed.some((entry) => {
      const name = withoutVariant(entry);
      if (names.has(name)) return true;
      const target = this.#catalogue.aliases?.get(name)?.target;
      return target !== undefined && names.has(withoutVariant(target));
    });
  }
}

function namesOf({ slug, model }: Candidate): ReadonlySet<string> {
  return new Set([slug, model.id, model.canonicalSlug].map(withoutVariant));
}

function withoutVariant(slug: string): string {
  return (slug.split(':', 1)[0] ?? slug).toLowerCase();
}

/** The name under which outcomes with a credential are counted; undefined for the operator's only or first one. */
export function credentialName({ credential, sharedKey }: Target): string | undefined {
  return credential?.id ?? (sharedKey === undefined ? undefined : sharedKeyName(sharedKey));
}

/** What outcomes of a target count for. */
export function accessOf(target: Target): EndpointAccess {
  return { endpoint: target.endpoint, credentialId: credentialName(target) };
}

/** The position of the operator's credential that served, where there are several; undefined elsewhere. */
export function keyPosition({ endpoint, credential, sharedKey = 1 }: Target): number | undefined {
  return credential === undefined && endpoint.provider.sharedKeys !== undefined ? sharedKey : undefined;
}

/** The name under which outcomes with a further credential of the operator are counted. @param position From 1. */
export function sharedKeyName(position: number): string {
  return `key ${position}`;
}
