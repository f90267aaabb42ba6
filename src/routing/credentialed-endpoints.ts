import type { AnyRequest } from '../core/inference-request.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { CredentialClass } from '../ports/stickiness.ts';
import type { CollectedEndpoints } from './collect-endpoints.ts';
import type { OwnCredentials } from './own-credentials.ts';
import { needsZeroRetention } from './policy-filters.ts';
import type { PassedOverTarget, RoutePolicy, Target } from './route-plan.ts';

/** An endpoint with one credential, and the origin of both. */
export interface CredentialedEndpoint extends CollectedEndpoints {
  readonly target: Target;
}

/**
 * Pairs each endpoint with every own credential that covers its model, and with the shared credential unless the
 * credentials rule that out (docs/spec/credentials.md#selection, docs/spec/credentials.md#flags). Where no data may be
 * retained, what an owner declared of a credential decides. An endpoint without any pair is passed over.
 */
export function pairWithCredentials(
  collected: readonly CollectedEndpoints[],
  request: AnyRequest,
  policy: RoutePolicy,
  own: OwnCredentials | undefined,
): { readonly endpoints: readonly CredentialedEndpoint[]; readonly passedOver: readonly PassedOverTarget[] } {
  if (own === undefined && policy.ownCredentialsOnly !== true && collected.every(hasOneShared)) {
    return { endpoints: collected.map((one) => pairOf(one)), passedOver: [] };
  }
  const endpoints: CredentialedEndpoint[] = [];
  const passedOver: PassedOverTarget[] = [];
  for (const one of collected) {
    const made = pairsOf(one, request, policy, own);
    endpoints.push(...made);
    if (made.length > 0) continue;
    const { model, endpoint } = one.facts;
    passedOver.push({ model, endpoint, because: 'own_credentials' });
  }
  return { endpoints, passedOver };
}

function pairsOf(
  one: CollectedEndpoints,
  request: AnyRequest,
  policy: RoutePolicy,
  own: OwnCredentials | undefined,
): readonly CredentialedEndpoint[] {
  const { provider } = one.facts.endpoint;
  const { covering, sharedRemoved } = own?.at(one.candidate, provider.slug) ?? {
    covering: [],
    sharedRemoved: false,
  };
  const strict = needsZeroRetention(one.candidate, request.provider.zdr, policy);
  const endpoints: CredentialedEndpoint[] = [];
  for (const credential of covering) {
    const retains =
      credential.declaredZdr === null ? provider.retainsPrompts : credential.declaredZdr === false;
    if (!strict || !retains) endpoints.push(pairOf(one, credential));
  }
  const shared = !sharedRemoved && policy.ownCredentialsOnly !== true && hasShared(one);
  if (shared && !(strict && provider.retainsPrompts)) endpoints.push(...sharedPairs(one));
  return endpoints;
}

function hasShared({ facts }: CollectedEndpoints): boolean {
  return facts.endpoint.provider.ownCredentialsOnly !== true;
}

function hasOneShared(one: CollectedEndpoints): boolean {
  return hasShared(one) && one.facts.endpoint.provider.sharedKeys === undefined;
}

/** One pair for each credential of the operator, in their order. */
function sharedPairs(one: CollectedEndpoints): readonly CredentialedEndpoint[] {
  const { sharedKeys = [] } = one.facts.endpoint.provider;
  const others = sharedKeys.slice(1).map((_, index) => {
    const pair = pairOf(one);
    return { ...pair, target: { ...pair.target, sharedKey: index + 2 } };
  });
  return [pairOf(one), ...others];
}

function pairOf(one: CollectedEndpoints, credential?: ProviderCredential): CredentialedEndpoint {
  const { candidate, place, facts } = one;
  const credentialClass: CredentialClass = credential === undefined ? 1 : credential.isFallback ? 2 : 0;
  const { model, endpoint } = facts;
  const target: Target = { model, endpoint, credential, credentialClass };
  const { router } = candidate;
  return { candidate, place, facts, target: router === undefined ? target : { ...target, router } };
}
