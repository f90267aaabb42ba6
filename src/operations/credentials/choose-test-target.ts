import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { isVisible } from '../../core/resolve-slug.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import { type Actor, refusal } from '../actor.ts';

/** What a test call asks: a model at one endpoint. */
export interface TestTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** What the operator does so that a provider's models are served to accounts with their own credentials. */
export function bringIntoService(provider: string): string {
  return `add "providers: { ${provider}: {} }" to the configuration`;
}

/**
 * The endpoint that a test call of a credential asks: of the model named, else the cheapest the credential is for. Models
 * that think before they answer come last, because a short answer may not suffice for them.
 * @param isFor Whether a model may be asked.
 * @throws HeadgateError `invalid_request` when there is nothing to ask.
 */
export function chooseTestTarget(
  actor: Actor,
  { provider, accountId }: Pick<ProviderCredential, 'provider' | 'accountId'>,
  wanted: string | undefined,
  { models, providers }: Catalogue,
  isFor: (model: Model) => boolean,
): TestTarget {
  const targets = [...models.values()]
    .filter((model) => (wanted === undefined || model.id === wanted) && isAsked(model, accountId))
    .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
    .filter(({ endpoint }) => endpoint.provider.slug === provider && isReached(endpoint, accountId))
    .filter(({ model }) => isFor(model));
  const [best] = targets.sort((one, other) => rankOf(one) - rankOf(other) || priceOf(one) - priceOf(other));
  if (best !== undefined) return best;
  if (!providers.has(provider)) {
    throw refusal(
      actor,
      new HeadgateError(
        'invalid_request',
        `No model of ${provider} is served here. The operator can ${bringIntoService(provider)}.`,
      ),
      `none of ${provider}'s models is served; ${bringIntoService(provider)}`,
    );
  }
  throw nothingToAsk(actor, provider, wanted);
}

function nothingToAsk(actor: Actor, provider: string, wanted: string | undefined): HeadgateError {
  const see = `see "headgate models list --provider ${provider}"`;
  if (wanted !== undefined) {
    return refusal(
      actor,
      new HeadgateError(
        'invalid_request',
        `model: ${provider} does not serve "${wanted}" here with this credential and this key`,
      ),
      `${provider} does not serve "${wanted}" here; ${see}`,
    );
  }
  return refusal(
    actor,
    new HeadgateError(
      'invalid_request',
      `No text model of ${provider} that is served here is among the models this credential and the key are for. Change "allowed_models" of one of them.`,
    ),
    `the catalogue has no model of ${provider} that this credential is for; ${see}`,
  );
}

function isAsked(model: Model, accountId: string): boolean {
  return (
    model.outputModalities.includes('text') && model.retired === undefined && isVisible(model, accountId)
  );
}

function isReached(endpoint: Endpoint, accountId: string): boolean {
  return endpoint.status === undefined && endpoint.tier === 'default' && isVisible(endpoint, accountId);
}

function rankOf({ model: { reasoning } }: TestTarget): number {
  return reasoning === undefined ? 0 : reasoning.mandatory ? 2 : 1;
}

/** What a short call costs, roughly. An unpriced endpoint comes last. */
function priceOf({ endpoint: { price } }: TestTarget): number {
  return price === undefined ? Number.POSITIVE_INFINITY : Number(price.prompt + price.completion);
}
