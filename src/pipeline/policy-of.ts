import type { Model } from '../core/catalogue.ts';
import type { Restrictions } from '../guardrails/combine-restrictions.ts';
import type { Account } from '../ports/accounts.ts';
import { credentialsForKey } from '../routing/own-credentials.ts';
import type { RoutePolicy } from '../routing/route-plan.ts';
import { isPrepaid } from '../settlement/admit.ts';
import type { Caller } from '../settlement/caller.ts';
import type { Services } from './services.ts';

/** What the account, the workspace and the operator decided about where requests of a key may go. */
export function policyOf(caller: Caller, services: Pick<Services, 'location' | 'guardrails'>): RoutePolicy {
  const { account, key, credentials, defaults } = caller;
  const { country, dataRegions } = services.location();
  const { privacy } = account;
  const policy: RoutePolicy = {
    country,
    dataRegions,
    pricedOnly: isPrepaid(account) || key.limit !== null,
    accountId: account.id,
    credentials: credentialsForKey(credentials, key),
    zeroRetention: zeroRetentionOf(account),
    allowedProviders: privacy?.allowedProviders && [privacy.allowedProviders],
    ignoredProviders: privacy?.ignoredProviders,
    forbidPaidTraining: privacy?.forbidPaidTraining,
    forbidFreeTraining: privacy?.forbidFreeTraining,
    forbidFreePublication: privacy?.forbidFreePublication,
    defaultSort: sortNamed(defaults?.providerSort),
  };
  const restrictions = services.guardrails?.of(caller)?.restrictions;
  return restrictions === undefined ? policy : restricted(policy, restrictions);
}

/** A policy with what guardrails demand besides: they only tighten it. */
function restricted(policy: RoutePolicy, guardrails: Restrictions): RoutePolicy {
  const { zeroRetention: ofAccount } = policy;
  const { zeroRetention: ofGuardrails } = guardrails;
  return {
    ...policy,
    allowedProviders: [...(policy.allowedProviders ?? []), ...guardrails.allowedProviders],
    ignoredProviders: [...(policy.ignoredProviders ?? []), ...guardrails.ignoredProviders],
    forbidPaidTraining: policy.forbidPaidTraining === true || guardrails.forbidPaidTraining,
    forbidFreeTraining: policy.forbidFreeTraining === true || guardrails.forbidFreeTraining,
    forbidFreePublication: policy.forbidFreePublication === true || guardrails.forbidFreePublication,
    zeroRetention:
      ofGuardrails === undefined
        ? ofAccount
        : (model) => ofAccount?.(model) === true || ofGuardrails(model.id),
  };
}

/** For which models nothing may be kept: all of them, those of some authors, or none. */
function zeroRetentionOf({ zeroRetention, privacy }: Account): RoutePolicy['zeroRetention'] {
  if (zeroRetention) return () => true;
  const authors = privacy?.zeroRetentionAuthors;
  return authors && (({ id }: Model) => authors.includes(id.split('/', 1)[0]?.toLowerCase() ?? ''));
}

const sorts = ['price', 'throughput', 'latency', 'exacto'] as const;

function sortNamed(name: string | undefined): RoutePolicy['defaultSort'] {
  return sorts.find((sort) => sort === name);
}
