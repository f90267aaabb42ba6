import { type CheckedProvider, checkProvider } from '../catalogue/check-provider.ts';
import type { Catalogue } from '../core/catalogue.ts';

/** What a provider said when it was asked for its models. */
export interface LiveResult extends Pick<CheckedProvider, 'ok' | 'detail' | 'listed' | 'unknown'> {
  readonly provider: string;
}

/** Asks every provider in service for its model list, with its own credentials (docs/spec/operations.md#commands). */
export async function checkLive({ providers, models }: Catalogue): Promise<readonly LiveResult[]> {
  const endpoints = [...models.values()].flatMap((model) => model.endpoints);
  return Promise.all(
    [...providers.values()].map(async (provider) => {
      const served = endpoints.filter((endpoint) => endpoint.provider === provider);
      const names = served.map(({ upstreamModel }) => upstreamModel);
      const { ok, detail, listed, unknown } = await checkProvider(provider, names);
      return { provider: provider.slug, ok, detail, ...(listed === undefined ? {} : { listed }), unknown };
    }),
  );
}
