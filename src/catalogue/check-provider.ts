import type { Provider } from '../core/catalogue.ts';
import { askModels } from './ask-models.ts';

/** What a provider said when it was asked for its models. */
export interface CheckedProvider {
  /** Whether it could be asked and answered with a list, or there is nothing to ask. */
  readonly ok: boolean;
  /** Whether it was asked. */
  readonly asked: boolean;
  /** In words; never holds a credential or what the provider wrote. */
  readonly detail: string;
  /** What the answer says of the operator's credential; undefined where it says nothing, or there is none. */
  readonly credential?: 'accepted' | 'refused';
  /** How many models it lists; undefined when it listed none or was not asked. */
  readonly listed?: number;
  /** Of the names that were asked about, those it does not list. */
  readonly unknown: readonly string[];
}

/** Dialects whose list is at another address, or has no names that endpoints use. */
const withoutList: ReadonlySet<string> = new Set([
  'amazon-bedrock',
  'azure-openai',
  'google-vertex',
  'sandbox',
]);

/** Why a provider cannot be asked for its models, in words; undefined where it can. */
export function notAskable({ adapter, apiKey, baseUrl }: Provider): string | undefined {
  if (baseUrl !== undefined && !withoutList.has(adapter)) return undefined;
  return baseUrl === undefined && apiKey === undefined
    ? 'needs no network'
    : 'has no model list that could be asked for';
}

/**
 * Asks a provider once for its model list, with the operator's first credential. Never rejects.
 * @param served What endpoints call their models there.
 * @param within Milliseconds that it may take.
 */
export async function checkProvider(
  provider: Provider,
  served: readonly string[],
  within?: number,
): Promise<CheckedProvider> {
  const reason = notAskable(provider);
  if (reason !== undefined) return { ok: true, asked: false, detail: reason, unknown: [] };
  const list = await askModels(provider, within);
  const hasKey = provider.apiKey !== undefined;
  if ('failure' in list) {
    const isRefused = hasKey && (list.status === 401 || list.status === 403);
    const refused = isRefused ? ({ credential: 'refused' } as const) : {};
    return { ok: false, asked: true, detail: list.failure, ...refused, unknown: [] };
  }
  const listed = new Set(list.models.map(({ name }) => name));
  return {
    ok: true,
    asked: true,
    detail: `lists ${listed.size} ${listed.size === 1 ? 'model' : 'models'}`,
    ...(hasKey ? { credential: 'accepted' } : {}),
    listed: listed.size,
    unknown: [...new Set(served)].filter((name) => !listed.has(name)),
  };
}
