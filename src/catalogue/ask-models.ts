import type { Provider } from '../core/catalogue.ts';
import { throughOwnProxy } from '../network/use-network.ts';
import { isObject, parseJson } from '../util/json.ts';
import { adapterNames } from './vocabulary.ts';

const longestWait = 15_000;
const largestList = 16 * 1024 * 1024;

/** A model as a provider lists it. */
export interface ListedModel {
  readonly name: string;
  /** In tokens; undefined where the list does not say. */
  readonly contextLength?: number;
}

/** What a provider lists, or in words why it lists nothing; never holds a credential or what the provider wrote. */
export type ModelList =
  | { readonly models: readonly ListedModel[] }
  | { readonly failure: string; readonly status?: number };

/**
 * Asks a provider that has an address for its models, with its own credential. Never rejects.
 * @param within Milliseconds that it may take.
 */
export async function askModels(provider: Provider, within = longestWait): Promise<ModelList> {
  try {
    const url = `${provider.baseUrl}${modelListPath(provider)}`;
    const response = await fetch(url, {
      ...(await throughOwnProxy(url, provider.proxy)),
      headers: { accept: 'application/json', ...authorizationOf(provider), ...provider.headers },
      // A redirect would carry the credential to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(within),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const { status } = response;
      return { failure: `answered ${status}: ${adviceFor(status)}`, status };
    }
    const models = readModels(await readText(response));
    return models === undefined
      ? { failure: 'answered something that is no model list: check base_url' }
      : { models };
  } catch (error) {
    return { failure: `could not be reached (${reasonOf(error, within)}): check base_url and the network` };
  }
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

/** The models in `{"data": [{"id"}]}` or a bare list of that, each name once. */
function readModels(text: string): readonly ListedModel[] | undefined {
  const body = parseJson(text);
  const list = memberOf(body, 'data') ?? memberOf(body, 'models') ?? body;
  if (!Array.isArray(list)) return undefined;
  const models = new Map<string, ListedModel>();
  for (const entry of list) {
    const name = memberOf(entry, 'id') ?? memberOf(entry, 'name');
    if (typeof name !== 'string') continue;
    const short = name.replace(/^models\//, '');
    models.set(short, { name: short, contextLength: contextLengthOf(entry) });
  }
  return [...models.values()];
}

/** As vLLM, llama.cpp and LM Studio state it. */
function contextLengthOf(entry: unknown): number | undefined {
  const stated = [
    memberOf(entry, 'max_model_len'),
    memberOf(memberOf(entry, 'meta'), 'n_ctx'),
    memberOf(entry, 'context_length'),
    memberOf(entry, 'max_context_length'),
  ];
  return stated.find((length) => typeof length === 'number' && Number.isSafeInteger(length) && length > 0) as
    | number
    | undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'check its credential';
  if (status === 404) return 'check base_url';
  return status >= 500 ? 'try again later' : 'check the configuration';
}

function reasonOf(error: unknown, within: number): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return `no answer within ${within / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection failed';
}

/** How each dialect sends a credential, for requests other than inference. */
const schemes: Readonly<Record<(typeof adapterNames)[number], (key: string) => Record<string, string>>> = {
  'openai-responses': bearer,
  'openai-chat': bearer,
  'anthropic-messages': (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  // A structured credential has one key for each of its parts.
  'azure-openai': (key): Record<string, string> => (/^\s*[[{]/.test(key) ? {} : { 'api-key': key }),
  'google-gemini': (key) => ({ 'x-goog-api-key': key }),
  // This dialect needs a token that must be fetched first.
  'google-vertex': () => ({}),
  // An access key signs single requests instead; without one the provider refuses them.
  'amazon-bedrock': (key) => (key.startsWith('{') ? {} : bearer(key)),
  sandbox: () => ({}),
};

/** The headers that carry a provider's credential; none when it has none. Never log them. */
function authorizationOf({ adapter, apiKey }: Provider): Record<string, string> {
  const name = adapterNames.find((known) => known === adapter);
  return name === undefined || apiKey === undefined ? {} : schemes[name](apiKey.reveal());
}

/** The path of a provider's model list below its base address. */
function modelListPath({ adapter }: Provider): string {
  // The default page size is 50.
  return adapter === 'google-gemini' ? '/models?pageSize=1000' : '/models';
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
