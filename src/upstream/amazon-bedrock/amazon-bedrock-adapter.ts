import type { SignatureV4 } from '@smithy/signature-v4';
import { breakpointsOf, prolongsPrefixes } from '../../core/breakpoints.ts';
import type { Provider } from '../../core/catalogue.ts';
import type { Effort } from '../../core/efforts.ts';
import type { FeatureSupport, RequestTest, Support } from '../../core/features.ts';
import type { CanonicalEmbedding } from '../../core/request.ts';
import type { AnyCall, UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { Adapter, AddressedRequest, ReadVectors, WireRequest } from '../adapter.ts';
import { claudeTraits } from '../claude-model.ts';
import {
  blankStops,
  chosenUnlessReasoning,
  claudeMessages,
  claudeReasoning,
  samplersOf,
  strictWhereDeclared,
} from '../claude-support.ts';
import { readVector } from '../embeddings.ts';
import { isEnforceable } from '../enforced-schemas.ts';
import { usedCount } from '../lenient.ts';
import { usualNames } from '../tool-limits.ts';
import { noSetting, usualSupport } from '../usual-support.ts';
import { cachesPrefixes, maxCachePoints } from './cache-points.ts';
import { ConverseDecoder } from './converse-decoder.ts';
import { type AccessKey, addressFor, readCredential, regionOf, regionOfHost } from './credentials.ts';
import { effortLevels, excludesLimit } from './encode-reasoning.ts';
import { encodeRequest, topKs } from './encode-request.ts';
import { familyOf, type ModelFamily } from './model-family.ts';
import { readFailure } from './read-failure.ts';

/** Support that every model of the dialect shares. */
const everywhere = {
  ...usualSupport,
  'tool_output.error': 'native',
  toolNames: usualNames,
  rootObjects: true,
  'modalities.embeddings': 'native',
  'embedding.dimensions': 'native',
  'embedding.input_type': 'native',
  'input.image.url': 'refused',
  'input.image.file': 'refused',
  'input.file.url': 'refused',
  'input.file.id': 'refused',
  'input.audio': 'native',
  'input.video.data': 'native',
  'input.video.url': 'refused',
  'input.tool_output.media': 'native',
  'item.hosted': { emulated: 'as-call-pair' },
  'tool.function.strict': strictWhereDeclared,
  'tool.web_search': 'refused',
  'tool.code_interpreter': 'refused',
  'tool_choice.none': { emulated: 'filtered' },
  'tool_choice.required': chosenUnlessReasoning,
  'tool_choice.named': chosenUnlessReasoning,
  'sampling.stop': blankStops,
  'modalities.image': { adapted: 'models that draw decide for themselves' },
  service_tier: {
    adapted: '`auto` is left to the provider; `scale` is not known',
    when: ({ serviceTier }) => serviceTier === 'scale',
  },
  prompt_cache_options: { dropped: 'the provider caches only at cache points anyway' },
} as const satisfies Partial<FeatureSupport>;

/** Makers whose models here enforce a schema; Claude depends on its version. */
const schemaFamilies =
  /gpt-oss|qwen|deepseek\.v|gemma|minimax|moonshot|nvidia|mistral\.(mag|min)istral|mistral-large-3/i;

/**
 * How the Converse dialect handles each feature. Quirk `structuredOutput` (`native`, `forced-tool` or `instructed`)
 * overrides what is known of the model.
 * @param upstreamModel if absent, the answer describes the most capable models.
 */
function supportOf({ quirks }: Provider, upstreamModel: string | undefined): FeatureSupport {
  const family = upstreamModel === undefined ? 'claude' : familyOf(upstreamModel);
  return {
    seals: ['anthropic-claude-v1', 'unknown'],
    ...everywhere,
    ...(family === 'claude' && { enforces: isEnforceable, mostMessages: claudeMessages }),
    'text.json_schema': schemaSupport(quirks.structuredOutput, upstreamModel, family),
    ...reasoningSupport(family),
    ...samplersOf(upstreamModel),
    ...(topKs[family] === undefined && upstreamModel !== undefined ? { 'sampling.top_k': noSetting } : {}),
    cache_control:
      upstreamModel === undefined || cachesPrefixes(upstreamModel)
        ? cachePointSupport(upstreamModel)
        : noSetting,
  };
}

function reasoningSupport(
  family: ModelFamily,
): Pick<FeatureSupport, 'reasoning.effort' | 'reasoning.max_tokens' | 'stopsReasoning'> {
  if (family === 'claude') return claudeReasoning;
  const levels: readonly Effort[] | undefined =
    family === 'nova-2' || family === 'gpt-oss' ? effortLevels[family] : undefined;
  if (levels === undefined) return { 'reasoning.effort': noSetting, 'reasoning.max_tokens': noSetting };
  return {
    'reasoning.effort': {
      adapted: `the nearest of ${levels.join(', ')}`,
      when: ({ reasoning, maxOutputTokens }) =>
        reasoning?.effort !== undefined &&
        (!levels.includes(reasoning.effort) ||
          (family === 'nova-2' && excludesLimit(reasoning.effort, maxOutputTokens))),
    },
    'reasoning.max_tokens': { adapted: 'as the nearest effort' },
  };
}

function cachePointSupport(upstreamModel = 'claude-sonnet-4-5'): Support {
  const long = claudeTraits(upstreamModel)?.longCache === true;
  const differs: RequestTest = (request) => {
    const points = breakpointsOf(request);
    if (points.length > maxCachePoints) return true;
    return long ? prolongsPrefixes(request) : points.some(({ ttl }) => ttl === '1h');
  };
  return {
    adapted:
      'cache points, of which the last four count; an hour where the model knows it, then also for what comes before',
    when: differs,
  };
}

function schemaSupport(stated: unknown, model: string | undefined, family: ModelFamily): Support {
  if (stated === 'forced-tool' || stated === 'instructed') return { emulated: stated };
  if (stated === 'native' || model === undefined) return 'native';
  if (family === 'claude') return claudeTraits(model)?.schemas ? 'native' : { emulated: 'forced-tool' };
  if (schemaFamilies.test(model)) return 'native';
  return { emulated: family === 'other' ? 'instructed' : 'forced-tool' };
}

/** A signer caches derived keys for a day, so each credential keeps one signer. */
const signers = new WeakMap<object, Map<string, Promise<SignatureV4>>>();

/** Headers added by a signature; all others belong to the request. */
const added = ['authorization', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'] as const;

/**
 * The headers that sign a request with the provider's access key (AWS Signature Version 4); none where an API key is
 * sent instead.
 * @throws HeadgateError `upstream_credential` for a credential of another shape.
 */
function signRequest(
  request: AddressedRequest,
  { endpoint }: AnyCall,
): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
  const { provider } = endpoint;
  const credential = readCredential(provider);
  if (credential?.kind !== 'access key') return {};
  const region = regionOfHost(request.url.host) ?? regionOf(provider, credential);
  return sign(request, signerOf(provider.apiKey ?? provider, credential.key, region));
}

async function sign(
  { url, headers, body }: AddressedRequest,
  signer: Promise<SignatureV4>,
): Promise<Readonly<Record<string, string>>> {
  const signed = await (await signer).sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body,
  });
  return Object.fromEntries(
    added.flatMap((name) => (signed.headers[name] === undefined ? [] : [[name, signed.headers[name]]])),
  );
}

function signerOf(owner: object, key: AccessKey, region: string): Promise<SignatureV4> {
  const known = signers.get(owner) ?? new Map<string, Promise<SignatureV4>>();
  signers.set(owner, known);
  const signer = known.get(region) ?? createSigner(key, region);
  known.set(region, signer);
  return signer;
}

/** Loaded at the first signature, because most installations never sign. */
async function createSigner(
  { region: _own, ...credentials }: AccessKey,
  region: string,
): Promise<SignatureV4> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  return new SignatureV4({ credentials, region, service: 'bedrock', sha256: Sha256 });
}

/** Texts of one call for vectors. */
const mostTexts = 96;

/** The Converse dialect of Amazon Bedrock: `POST /model/<id>/converse`, streamed as binary messages. */
export const amazonBedrockAdapter: Adapter = {
  encode: encodeRequest,
  createDecoder: ({ endpoint }) => new ConverseDecoder(familyOf(endpoint.upstreamModel) === 'claude'),
  embedding: {
    encode: encodeEmbeddings,
    read: readEmbeddings,
    mostInputs: ({ endpoint }) => (takesManyTexts(endpoint.upstreamModel) ? mostTexts : 1),
  },
  readFailure: (status, body, _provider, headers) => readFailure(status, body, headers),
  support: supportOf,
  framing: 'aws-event-stream',
  authorize: signRequest,
};

/** Whether a model is one of Cohere's, which takes many texts in one call; Titan takes one. */
function takesManyTexts(upstreamModel: string): boolean {
  return /(^|\.)cohere\./.test(upstreamModel);
}

/**
 * Encodes a call for vectors: `POST /model/<id>/invoke` in the form of the model's maker.
 * @throws HeadgateError `upstream_credential` for an unusable credential.
 */
function encodeEmbeddings({ request, endpoint }: UpstreamCall<CanonicalEmbedding>): WireRequest {
  const { provider, upstreamModel } = endpoint;
  const credential = readCredential(provider);
  const { dimensions, inputType } = request;
  const texts = request.inputs.map(String);
  const body: JsonObject = takesManyTexts(upstreamModel)
    ? { texts, input_type: inputType ?? 'search_document', output_dimension: dimensions }
    : { inputText: texts[0], dimensions };
  return {
    path: `/model/${encodeURIComponent(upstreamModel)}/invoke`,
    baseUrl: addressFor(provider, credential),
    headers: {
      accept: 'application/json',
      ...(credential?.kind === 'bearer' ? { authorization: `Bearer ${credential.token}` } : {}),
    },
    body,
    streamed: false,
  };
}

/** Reads the answer of either maker. Cohere's body reports no tokens. */
function readEmbeddings(answer: JsonObject): ReadVectors {
  const { embedding, embeddings, inputTextTokenCount: count } = answer;
  const tokens = usedCount(count);
  if (embedding !== undefined) return { vectors: [readVector(embedding)], inputTokens: tokens };
  const rows = isObject(embeddings) ? embeddings.float : embeddings;
  return { vectors: (Array.isArray(rows) ? rows : []).map(readVector) };
}
