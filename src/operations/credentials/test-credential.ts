import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { HeadgateError, toHeadgateError } from '../../core/errors.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Secret } from '../../util/secret.ts';
import type { OperatorActor } from '../actor.ts';
import type { OtherServices, Uses } from '../services.ts';
import { findCredential } from './find-credential.ts';

/** What a test call asks: a model at one endpoint. */
export interface TestTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** Opens the vault and makes the call. Opened only once there is something to ask. */
export type OpenTestTools = () => Promise<
  Pick<OtherServices, 'vault'> & {
    ask(target: TestTarget, secret: Secret): Promise<string>;
  }
>;

/** What came of a test call. */
export interface TestedCredential {
  readonly credential: ProviderCredential;
  readonly model: string;
  readonly milliseconds: number;
  /** What the model said. */
  readonly answer: string;
}

/**
 * Makes one short call with a credential, without routing, so that its provider's own answer is seen.
 * @param input.model The id of the model to ask; by default the cheapest the credential is for.
 * @throws HeadgateError `not_found` or `invalid_request` when there is no such credential or nothing to ask;
 *   `provider_failed` with what the provider answered instead.
 */
export async function testCredential(
  actor: OperatorActor,
  input: { readonly id: string; readonly model?: string },
  services: Uses<'accounts' | 'credentials'>,
  catalogue: Catalogue,
  openTools: OpenTestTools,
): Promise<TestedCredential> {
  const credential = await findCredential(actor, input.id, services);
  const target = chooseTarget(credential, input.model, catalogue);
  const { vault, ask } = await openTools();
  const began = performance.now();
  try {
    const answer = await ask(target, await vault.open(credential));
    const milliseconds = Math.round(performance.now() - began);
    return { credential, model: target.model.id, milliseconds, answer };
  } catch (thrown) {
    const { message, metadata, cause } = toHeadgateError(thrown);
    const code = metadata.provider_code === undefined ? '' : ` (${metadata.provider_code})`;
    const text = `${credential.provider} ${credential.label}: ${message}${code}`;
    throw new HeadgateError('provider_failed', text, { cause });
  }
}

/** What the operator does so that a provider's models are served to accounts with their own credentials. */
export function bringIntoService(provider: string): string {
  return `add "providers: { ${provider}: {} }" to the configuration`;
}

/** The endpoint to ask: of the model named, else the cheapest the credential is for. */
function chooseTarget(
  { provider, allowedModels }: ProviderCredential,
  wanted: string | undefined,
  { models, providers }: Catalogue,
): TestTarget {
  const targets = [...models.values()]
    .filter((model) => wanted === undefined || model.id === wanted)
    .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
    .filter(({ model, endpoint }) => {
      const covered = wanted !== undefined || (allowedModels?.includes(model.id) ?? true);
      return covered && endpoint.provider.slug === provider && model.outputModalities.includes('text');
    });
  const [cheapest] = targets.sort((one, other) => priceOf(one) - priceOf(other));
  if (cheapest !== undefined) return cheapest;
  if (!providers.has(provider)) {
    throw new HeadgateError(
      'invalid_request',
      `none of ${provider}'s models is served; ${bringIntoService(provider)}`,
    );
  }
  throw new HeadgateError(
    'invalid_request',
    wanted === undefined
      ? `the catalogue has no model of ${provider} that this credential is for; see "headgate models list --provider ${provider}"`
      : `${provider} does not serve "${wanted}" here; see "headgate models list --provider ${provider}"`,
  );
}

/** What a short call costs, roughly. An unpriced endpoint comes last. */
function priceOf({ endpoint: { price } }: TestTarget): number {
  return price === undefined ? Number.POSITIVE_INFINITY : Number(price.prompt + price.completion);
}
