import { type CheckedProvider, checkProvider, notAskable } from '../../catalogue/check-provider.ts';
import type { Catalogue, Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { OperatingActor } from '../actor.ts';

/** Milliseconds that a provider may take. */
const longestWait = 10_000;

/** A model of the catalogue at a provider that does not list it. */
export interface UnlistedModel {
  readonly model: string;
  /** What the provider would call it. */
  readonly upstreamModel: string;
}

/** What a provider said of its models. */
export interface ProviderCheck
  extends Pick<CheckedProvider, 'ok' | 'asked' | 'detail' | 'listed' | 'credential'> {
  readonly provider: Provider;
  readonly unlisted: readonly UnlistedModel[];
}

/** Checks of providers. Who asks for one that is under way gets its answer, so that a provider is asked once at a time. */
export class ProviderChecks {
  readonly #running = new Map<string, Promise<ProviderCheck>>();

  /**
   * Asks a provider once for its model list and compares it with the catalogue.
   * @throws HeadgateError `not_found` for a provider that is not in service.
   */
  check(_actor: OperatingActor, slug: string, catalogue: Catalogue): Promise<ProviderCheck> {
    const provider = catalogue.providers.get(slug);
    if (provider === undefined) {
      const message = 'There is no such provider in service; GET /api/v1/providers lists the slugs.';
      throw new HeadgateError('not_found', message);
    }
    const running = this.#running.get(slug);
    if (running !== undefined) return running;
    const begun = compare(provider, catalogue).finally(() => this.#running.delete(slug));
    this.#running.set(slug, begun);
    return begun;
  }
}

async function compare(provider: Provider, { models }: Catalogue): Promise<ProviderCheck> {
  const served = [...models.values()].flatMap((model) =>
    model.endpoints
      .filter((endpoint) => endpoint.provider.slug === provider.slug && endpoint.status === undefined)
      .map(({ upstreamModel }) => ({ model: model.id, upstreamModel })),
  );
  const names = served.map(({ upstreamModel }) => upstreamModel);
  const { unknown, ...checked } = await checkProvider(provider, names, longestWait);
  const missing = new Set(unknown);
  return { provider, ...checked, unlisted: served.filter(({ upstreamModel }) => missing.has(upstreamModel)) };
}

/** How a provider is reached. */
export interface ProviderConnection {
  readonly slug: string;
  readonly adapter: string;
  /** The host of its address; undefined where it has none. */
  readonly host: string | undefined;
  /** Credentials of the operator. */
  readonly credentials: number;
  /** Whether it can be asked for its models. */
  readonly isAskable: boolean;
}

/** How the providers in service are reached. */
export function listConnections(
  _actor: OperatingActor,
  { providers }: Catalogue,
): readonly ProviderConnection[] {
  return [...providers.values()].map((provider) => ({
    slug: provider.slug,
    adapter: provider.adapter,
    host: hostOf(provider),
    credentials: provider.sharedKeys?.length ?? (provider.apiKey === undefined ? 0 : 1),
    isAskable: notAskable(provider) === undefined,
  }));
}

function hostOf({ baseUrl }: Provider): string | undefined {
  return baseUrl === undefined || !URL.canParse(baseUrl) ? undefined : new URL(baseUrl).host;
}
