import type { InferenceRequest } from '../../core/inference-request.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import { isObject } from '../../util/json.ts';
import { createSpeller } from '../gateway/aliases.ts';
import { readModels } from '../gateway/models.ts';
import { readProvider } from '../gateway/provider.ts';
import { sessionOf, wantsMetadata, wantsStrict } from '../gateway/request-headers.ts';
import { pickPresent } from '../gateway/without-nulls.ts';
import type { PublicDialect, ReadContext } from '../public-dialect.ts';
import { EmbeddingsRequestSchema, embeddingsRequestFields } from './embeddings-request-schema.ts';
import { EmbeddingsWriter } from './embeddings-writer.ts';
import { readInputs } from './read-inputs.ts';

const checkBody = createChecker(EmbeddingsRequestSchema);

/** The dialect of `POST /embeddings` (docs/spec/embeddings.md). */
export const embeddingsDialect: PublicDialect = {
  name: 'embeddings',
  path: '/embeddings',
  read(raw, context) {
    refuseMembers(raw);
    const body = pickPresent(checkBody(raw, ''), embeddingsRequestFields);
    if (body.stream === true) throw malformed('stream', 'must be false, vectors come as one body');
    if (body.model === undefined) throw malformed('model', 'is required, expected a string');
    const { items, tokens } = readInputs(body.input);
    const { dimensions, input_type: inputType, user } = body;
    const canonical: CanonicalRequest = {
      items,
      tools: [],
      toolChoice: { kind: 'auto' },
      sampling: {},
      format: { kind: 'text' },
      includeEncryptedReasoning: false,
      outputModalities: ['embeddings'],
      embedding: { dimensions, inputType, tokens },
      truncation: 'disabled',
      endUser: user ? context.hashEndUser(user) : undefined,
    };
    const request = toRequest(body, canonical, context);
    const settings = {
      id: context.generationId,
      model: body.model,
      encoding: body.encoding_format ?? 'float',
    };
    return { request, createWriter: () => new EmbeddingsWriter(settings) };
  },
};

function toRequest(
  body: {
    readonly model?: string;
    readonly provider?: unknown;
    readonly user?: string;
    readonly session_id?: string;
  },
  canonical: CanonicalRequest,
  context: ReadContext,
): InferenceRequest {
  return {
    canonical,
    ...readModels({ model: body.model }, createSpeller(context.aliases, '/')),
    provider: readProvider(body.provider, undefined),
    stream: false,
    sessionId: sessionOf(body.session_id, context.headers),
    user: body.user,
    wantsMetadata: wantsMetadata(context.headers),
    strict: wantsStrict(context.headers),
    echoUpstreamBody: false,
    parameters: [],
  };
}

/** Vectors of two models cannot be compared, and nothing but a model makes them. */
function refuseMembers(body: unknown): void {
  if (!isObject(body)) return;
  for (const name of ['models', 'plugins', 'tools']) {
    const value = body[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw malformed(name, 'has no meaning for embeddings; leave it out');
  }
}
