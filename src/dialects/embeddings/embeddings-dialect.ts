import { endianness } from 'node:os';
import type { AnswerParts, EndedPart } from '../../core/answer-part.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { AnyRequest } from '../../core/inference-request.ts';
import { usdToNumber } from '../../core/money.ts';
import type { CanonicalEmbedding, EmbeddingInput } from '../../core/request.ts';
import { totalInput } from '../../core/usage.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import { isObject } from '../../util/json.ts';
import { createSpeller, readModels } from '../gateway/models.ts';
import { readProvider } from '../gateway/provider.ts';
import { sessionOf, wantsMetadata, wantsStrict } from '../gateway/request-headers.ts';
import { pickPresent } from '../gateway/without-nulls.ts';
import type { AnswerText, AnswerWriter, PublicDialect, ReadContext } from '../public-dialect.ts';
import { serviceMetadata } from '../service-metadata.ts';
import { EmbeddingsRequestSchema, embeddingsRequestFields } from './embeddings-schemas.ts';

/** What the writer must know of the request. */
interface EmbeddingsSettings {
  readonly id: string;
  readonly model: string;
  readonly encoding: 'float' | 'base64';
}

/** Writes vectors in the order of their inputs (docs/spec/embeddings.md#answer). */
class EmbeddingsWriter implements AnswerWriter {
  readonly #settings: EmbeddingsSettings;
  readonly #vectors: Float32Array[] = [];
  #model: string;
  #ended: EndedPart | undefined;

  constructor(settings: EmbeddingsSettings) {
    this.#settings = settings;
    this.#model = settings.model;
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      if (part.kind === 'opened') this.#model = part.model;
      else if (part.kind === 'embedding') this.#vectors[part.index] = part.vector;
      else if (part.kind === 'ended') this.#end(part);
    }
    return '';
  }

  *body(): Iterable<string> {
    const { id, encoding } = this.#settings;
    yield `{"object":"list","id":${JSON.stringify(id)},"model":${JSON.stringify(this.#model)},"data":[`;
    for (const [index, vector] of this.#vectors.entries()) {
      const embedding = encoding === 'base64' ? JSON.stringify(toBase64(vector)) : toNumbers(vector);
      yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${embedding}}`;
    }
    yield `],${JSON.stringify(this.#rest()).slice(1)}`;
  }

  /** Half of the vectors are of no use. */
  #end(part: EndedPart): void {
    if (part.error !== undefined) throw part.error;
    this.#ended = part;
  }

  #rest() {
    const { bill, report } = this.#ended ?? {};
    if (bill === undefined) throw new HeadgateError('server');
    const tokens = totalInput(bill.usage) ?? 0;
    const { charge, cost, unpriced, isByok } = bill;
    return {
      usage: {
        prompt_tokens: tokens,
        total_tokens: tokens,
        ...(!unpriced && {
          cost: usdToNumber(charge),
          cost_details: {
            upstream_inference_cost: isByok ? usdToNumber(cost.total) : null,
            upstream_inference_prompt_cost: usdToNumber(cost.input),
            upstream_inference_completions_cost: usdToNumber(cost.output),
          },
        }),
        is_byok: isByok,
      },
      ...(report !== undefined && { service_metadata: serviceMetadata(report) }),
    };
  }
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

/** Each number as short as its 32 bits allow: half the text of a double. */
function toNumbers(vector: Float32Array): string {
  return `[${Array.from(vector, shortest).join(',')}]`;
}

function shortest(value: number): string {
  const short = Number(value.toPrecision(7));
  if (Math.fround(short) === value) return String(short);
  const longer = Number(value.toPrecision(8));
  return String(Math.fround(longer) === value ? longer : value);
}

/** The most inputs of one request. */
const mostInputs = 2048;
/** The most tokens of one input. */
const mostTokens = 1_000_000;

/**
 * Reads `input`: one text, one list of tokens, or several of these (docs/spec/embeddings.md#request).
 * @throws HeadgateError `invalid_request`.
 */
function readInputs(input: unknown): readonly EmbeddingInput[] {
  if (input === undefined || input === null) {
    throw malformed('input', 'is required, expected a string or an array');
  }
  if (typeof input === 'string') return [readText(input, 'input')];
  if (!Array.isArray(input)) throw malformed('input', `expected a string or an array, got ${nameOf(input)}`);
  if (input.length === 0) throw malformed('input', 'must not be empty');
  if (typeof input[0] === 'number') return [readTokens(input, 'input')];
  if (input.length > mostInputs) {
    throw malformed('input', `must hold at most ${mostInputs} entries, got ${input.length}`);
  }
  return input.map(readInput);
}

function readInput(entry: unknown, index: number): EmbeddingInput {
  const path = `input[${index}]`;
  if (typeof entry === 'string') return readText(entry, path);
  if (isObject(entry)) return readContent(entry.content, `${path}.content`);
  if (Array.isArray(entry)) return readTokens(entry, path);
  throw malformed(path, `expected a string, an array of tokens or an object, got ${nameOf(entry)}`);
}

function readText(text: string, path: string): string {
  if (text === '') throw malformed(path, 'must not be empty');
  return text;
}

function readContent(content: unknown, path: string): string {
  if (!Array.isArray(content)) throw malformed(path, `expected an array of parts, got ${nameOf(content)}`);
  const texts = content.map((part, index) => {
    if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
    throw malformed(`${path}[${index}]`, 'must be a part of type "text": no provider takes other kinds here');
  });
  return readText(texts.join(''), path);
}

function readTokens(tokens: readonly unknown[], path: string): readonly number[] {
  if (tokens.length === 0) throw malformed(path, 'must not be empty');
  if (tokens.length > mostTokens) throw malformed(path, `must hold at most ${mostTokens} tokens`);
  for (const [index, token] of tokens.entries()) {
    if (Number.isSafeInteger(token) && (token as number) >= 0) continue;
    throw malformed(`${path}[${index}]`, `expected a token number, got ${nameOf(token)}`);
  }
  return tokens as readonly number[];
}

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
    const { dimensions, input_type: inputType, user } = body;
    const canonical: CanonicalEmbedding = {
      kind: 'embedding',
      inputs: readInputs(body.input),
      outputModalities: ['embeddings'],
      dimensions,
      inputType,
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
  canonical: CanonicalEmbedding,
  context: ReadContext,
): AnyRequest {
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
