import { authorizationOf, modelListPath } from '../catalogue/authorization.ts';
import type { Catalogue, Provider } from '../core/catalogue.ts';
import { isObject, parseJson } from '../util/json.ts';

const longestWait = 15_000;
const largestList = 16 * 1024 * 1024;

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
  try {
    const response = await fetch(`${provider.baseUrl}${modelListPath(provider)}`, {
      headers: { accept: 'application/json', ...authorizationOf(provider), ...provider.headers },
      // A redirect would carry the credential to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(longestWait),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return failed(`answered ${response.status}: ${adviceFor(response.status)}`);
    }
    const listed = readNames(await readText(response));
    if (listed === undefined) return failed('answered something that is no model list: check base_url');
    const unknown = [...new Set(served)].filter((name) => !listed.has(name));
    return {
      provider: provider.slug,
      ok: true,
      detail: `lists ${listed.size} ${listed.size === 1 ? 'model' : 'models'}`,
      listed: listed.size,
      unknown,
    };
  } catch (error) {
    return failed(`could not be reached (${reasonOf(error)}): check base_url and the network`);
  }
}

function noListReason({ apiKey }: Provider): string {
  return apiKey === undefined ? 'needs no network' : 'has no model list that could be asked for';
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largestList) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The names in `{"data": [{"id"}]}` or a bare list of that. */
function readNames(text: string): ReadonlySet<string> | undefined {
  const body = parseJson(text);
  const list = memberOf(body, 'data') ?? memberOf(body, 'models') ?? body;
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry: unknown) => memberOf(entry, 'id') ?? memberOf(entry, 'name'));
  return new Set(
    names.filter((name) => typeof name === 'string').map((name) => name.replace(/^models\//, '')),
  );
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'check its credential';
  if (status === 404) return 'check base_url';
  return status >= 500 ? 'try again later' : 'check the configuration';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return `no answer within ${longestWait / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection failed';
}
