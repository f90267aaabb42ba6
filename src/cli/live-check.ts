import { askModels } from '../catalogue/ask-models.ts';
import type { Catalogue, Provider } from '../core/catalogue.ts';

/** What a provider said when it was asked for its models. */
export interface LiveResult {
  readonly provider: string;
  readonly ok: boolean;
  /** In words; never holds a credential or what the provider wrote. */
  readonly detail: string;
  /** How many models it lists; undefined when it listed none or was not asked. */
  readonly listed?: number;
  /** Catalogue models it does not list. */
  readonly unknown: readonly string[];
}

/** Asks every provider in service for its model list, with its own credentials (docs/spec/operations.md#commands). */
export async function checkLive({ providers, models }: Catalogue): Promise<readonly LiveResult[]> {
  const endpoints = [...models.values()].flatMap((model) => model.endpoints);
  return Promise.all(
    [...providers.values()].map((provider) => {
      const served = endpoints.filter((endpoint) => endpoint.provider === provider);
      return askProvider(
        provider,
        served.map(({ upstreamModel }) => upstreamModel),
      );
    }),
  );
}

async function askProvider(provider: Provider, served: readonly string[]): Promise<LiveResult> {
  const failed = (detail: string): LiveResult => ({
    provider: provider.slug,
    ok: false,
    detail,
    unknown: [],
  });
  if (provider.baseUrl === undefined) {
    return { provider: provider.slug, ok: true, detail: noListReason(provider), unknown: [] };
  }
  const list = await askModels(provider);
  if ('failure' in list) return failed(list.failure);
  const listed = new Set(list.models.map(({ name }) => name));
  const unknown = [...new Set(served)].filter((name) => !listed.has(name));
  return {
    provider: provider.slug,
    ok: true,
    detail: `lists ${listed.size} ${listed.size === 1 ? 'model' : 'models'}`,
    listed: listed.size,
    unknown,
  };
}

function noListReason({ apiKey }: Provider): string {
  return apiKey === undefined ? 'needs no network' : 'has no model list that could be asked for';
}
