import { offeredTools } from '../../core/client-tools.ts';
import type { FeatureSupport, RequestTest, Support } from '../../core/features.ts';
import type { CanonicalChat, CanonicalEmbedding, ContentPart, HostedTool } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { Adapter, ReadVectors, VectorAdapter, WireRequest } from '../adapter.ts';
import { readVector } from '../embeddings.ts';
import { countOf, usedCount } from '../lenient.ts';
import { setsSearch, setsSearchBeyond } from '../search-settings.ts';
import { geminiNames } from '../tool-limits.ts';
import { inexpressibleItems, usualSupport } from '../usual-support.ts';
import { isFileAddress } from './encode-content.ts';
import { isOwnItem } from './encode-hosted-item.ts';
import { encodeRequest, maxStops, modelPath } from './encode-request.ts';
import { movesBudget, movesEffort } from './encode-thinking.ts';
import { GeminiDecoder } from './gemini-decoder.ts';
import { type GeminiHost, generationOf, modelTraits } from './model-traits.ts';
import { readFailure } from './read-failure.ts';
import { geminiFormat } from './reasoning-format.ts';

const findsPrefixes = { dropped: 'the provider caches prefixes by itself' } as const;

/** The hosted tools that the provider runs; others become functions. */
const runs: ReadonlySet<HostedTool['tool']> = new Set(['web_search', 'code_interpreter']);
const hostedTools = (request: CanonicalChat): readonly HostedTool[] =>
  offeredTools(request).filter((tool) => tool.kind === 'hosted');
const offersHosted: RequestTest = (request) => hostedTools(request).length > 0;
/** Hosted tools beside the client's, for a model that refuses the combination. */
const mixesUnsupported: RequestTest = (request, at) => {
  const offered = offeredTools(request);
  const own = offered.filter((tool) => tool.kind === 'hosted' && runs.has(tool.tool));
  return own.length > 0 && own.length < offered.length && !modelTraits(at).mixesTools;
};
const chosenAmongFunctions: Support = {
  adapted: 'tools the provider runs stay a free choice',
  when: offersHosted,
};
const inWordsBesideTools: Support = {
  adapted: 'asked for in words beside tools on models before the third generation',
  when: (request, at) => offeredTools(request).length > 0 && !modelTraits(at).mixesTools,
};

const everywhere = {
  ...usualSupport,
  'item.reasoning.readable': 'native',
  'modalities.embeddings': 'native',
  'embedding.dimensions': 'native',
  'embedding.input_type': 'native',
  seals: [geminiFormat],
  toolNames: geminiNames,
  inexpressible: inexpressibleItems,
  stopsReasoning: true,
  'input.image.url': 'native',
  'input.file.url': 'native',
  'input.audio': 'native',
  'input.video.data': 'native',
  'input.video.url': 'native',
  'input.tool_output.media': {
    adapted: 'models before the third generation get it beside the output',
    when: (_request, at) => !modelTraits(at).mediaInResponses,
  },
  'item.hosted': {
    adapted:
      'calls the provider ran go back as they were, others as call and result; of searches by others, their answer alone',
    when: ({ items }) => items.some((item) => item.kind === 'hosted' && !isOwnItem(item)),
  },
  'tool.function.strict': {
    adapted: 'one strict function makes the provider check the calls of all',
    when: (request) => offeredTools(request).some((tool) => tool.kind === 'function' && tool.strict !== true),
  },
  'tool.code_interpreter': {
    adapted:
      'Python in a sandbox of its own size, without files of the caller; not beside functions before the third generation',
    when: (request) => containersOf(request).some((one) => isObject(one) && one.memory_limit != null),
    refuses: (request, at) => containersOf(request).some(bringsFiles) || mixesUnsupported(request, at),
  },
  'tool_choice.none': 'native',
  'tool_choice.required': chosenAmongFunctions,
  'tool_choice.named': chosenAmongFunctions,
  'tool_choice.allowed': {
    adapted: 'tools the provider runs are not shown where they are not allowed',
    when: offersHosted,
  },
  'text.json_object': inWordsBesideTools,
  'text.json_schema': inWordsBesideTools,
  'reasoning.effort': {
    adapted: 'the nearest level, or a budget on models before the third generation',
    when: (request, at) => movesEffort({ request, ...at }),
  },
  'reasoning.max_tokens': {
    adapted: 'as far as the model goes; the nearest level from the third generation on',
    when: (request, at) => movesBudget({ request, ...at }),
  },
  'sampling.temperature': 'native',
  'sampling.top_p': 'native',
  'sampling.top_k': 'native',
  'sampling.penalties': { adapted: 'models since 2.5 get none' },
  'sampling.seed': 'native',
  'sampling.stop': {
    adapted: `the first ${maxStops} count; empty texts are left out`,
    when: ({ sampling: { stop = [] } }) => stop.length > maxStops || stop.includes(''),
  },
  'sampling.logprobs': { adapted: 'models since 2.5, on Vertex since the third generation, give none' },
  'modalities.image': 'native',
  image_config: 'native',
  prompt_cache_key: findsPrefixes,
  cache_control: findsPrefixes,
  prompt_cache_options: findsPrefixes,
} as const satisfies Partial<FeatureSupport>;

const byAddress: Support = {
  adapted: 'by gs:// address',
  when: () => false,
  refuses: ({ items }) => items.some((item) => fileIdsIn(item).some((id) => !isFileAddress(id))),
};

const unsupported: Support = { dropped: 'the model refuses it' };

/**
 * How the Gemini dialect handles each feature.
 * @param upstreamModel if absent, the answer covers all models together.
 */
function supportOf(host: GeminiHost, upstreamModel: string | undefined): FeatureSupport {
  if (upstreamModel === undefined) return byHost[host];
  const generation = generationOf(upstreamModel) ?? 0;
  const weighs = generation < (host === 'vertex' ? 3 : 2.5);
  return {
    ...byHost[host],
    'sampling.penalties': generation < 2.5 ? 'native' : unsupported,
    'sampling.logprobs': weighs ? 'native' : unsupported,
  };
}

const byHost: Readonly<Record<GeminiHost, FeatureSupport>> = {
  'ai-studio': {
    ...everywhere,
    'input.image.file': 'native',
    'input.file.id': 'native',
    'tool.web_search': {
      adapted:
        "amount, size and place of the search are the provider's choice; domains cannot be told; not beside functions before the third generation",
      when: (request) => setsSearchBeyond(request, []),
      refuses: (request, at) =>
        setsSearch(request, 'allowed_domains', 'blocked_domains', 'excluded_domains') ||
        mixesUnsupported(request, at),
    },
    service_tier: {
      adapted: '`auto` is left to the provider; `scale` is not known',
      when: asksForScale,
    },
  },
  vertex: {
    ...everywhere,
    'input.image.file': byAddress,
    'input.file.id': byAddress,
    'tool.web_search': {
      adapted:
        "domains can be left out; amount, size and place are the provider's choice; not beside functions before the third generation",
      when: (request) => setsSearchBeyond(request, ['blocked_domains', 'excluded_domains']),
      refuses: (request, at) => setsSearch(request, 'allowed_domains') || mixesUnsupported(request, at),
    },
    service_tier: { adapted: 'told in a header; `scale` is not known', when: asksForScale },
  },
};

function asksForScale({ serviceTier }: CanonicalChat): boolean {
  return serviceTier === 'scale';
}

function containersOf(request: CanonicalChat): readonly unknown[] {
  return hostedTools(request).flatMap(({ tool, settings }) =>
    tool === 'code_interpreter' ? settings.container : [],
  );
}

function bringsFiles(container: unknown): boolean {
  const files = isObject(container) ? container.file_ids : undefined;
  return typeof container === 'string' || (Array.isArray(files) && files.length > 0);
}

function fileIdsIn(item: CanonicalChat['items'][number]): readonly string[] {
  const parts: readonly ContentPart[] =
    item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
  return parts.flatMap((part) => ('fileId' in part && part.fileId !== undefined ? part.fileId : []));
}

/** The Gemini dialect of Google's developer interface: `POST /models/<model>:generateContent`. */
export const googleGeminiAdapter: Adapter = {
  ...createGeminiAdapter('ai-studio'),
  counting: {
    encode(call) {
      const wire = encodeRequest(call, 'ai-studio');
      const [model = ''] = wire.path.slice(1).split(':');
      const body = { generateContentRequest: { model, ...wire.body } };
      return { ...wire, path: `/${model}:countTokens`, body, streamed: false };
    },
    read: ({ totalTokens }) => countOf(totalTokens),
  },
};

/**
 * The same dialect for Gemini on Vertex. Its requests contain neither address nor credential: the Vertex adapter adds
 * `baseUrl` and the authorization.
 */
export const vertexGeminiAdapter = createGeminiAdapter('vertex');

/** Inputs of one call for vectors. */
const mostInputs = 100;

function createGeminiAdapter(host: GeminiHost): VectorAdapter {
  return {
    encode: (call) => encodeRequest(call, host),
    createDecoder: (call) => new GeminiDecoder(call),
    embedding: {
      encode: (call) => encodeEmbeddings(call, host),
      read: readEmbeddings,
      mostInputs: () => mostInputs,
    },
    readFailure,
    support: (_provider, upstreamModel) => supportOf(host, upstreamModel),
  };
}

/**
 * Encodes a call for vectors: `batchEmbedContents` of the developer interface, `predict` on Vertex. Tokens and unknown
 * purposes never get here.
 */
function encodeEmbeddings(
  { request, endpoint }: UpstreamCall<CanonicalEmbedding>,
  host: GeminiHost,
): WireRequest {
  const { upstreamModel, provider } = endpoint;
  const path = modelPath(upstreamModel, host);
  const { dimensions, inputType } = request;
  const texts = request.inputs.map(String);
  if (host === 'vertex') {
    const instances = texts.map((content) => ({ content, task_type: inputType }));
    const parameters = { outputDimensionality: dimensions };
    return { path: `/${path}:predict`, headers: {}, body: { instances, parameters }, streamed: false };
  }
  const requests = texts.map((text) => ({
    model: path,
    content: { parts: [{ text }] },
    taskType: inputType,
    outputDimensionality: dimensions,
  }));
  const key = provider.apiKey?.reveal();
  return {
    path: `/${path}:batchEmbedContents`,
    headers: key === undefined ? {} : { 'x-goog-api-key': key },
    body: { requests },
    streamed: false,
  };
}

/** Reads the answer of either form. The developer interface reports no tokens. */
function readEmbeddings({ embeddings, predictions }: JsonObject): ReadVectors {
  if (Array.isArray(embeddings)) {
    return { vectors: embeddings.map((one) => readVector(isObject(one) ? one.values : undefined)) };
  }
  const rows = (Array.isArray(predictions) ? predictions : []).map((one) =>
    isObject(one) && isObject(one.embeddings) ? one.embeddings : {},
  );
  const counts = rows.map(({ statistics }) =>
    usedCount(isObject(statistics) ? statistics.token_count : undefined),
  );
  const isReported = counts.length > 0 && counts.every((count) => count !== undefined);
  return {
    vectors: rows.map(({ values }) => readVector(values)),
    inputTokens: isReported ? (counts as number[]).reduce((sum, count) => sum + count, 0) : undefined,
  };
}
