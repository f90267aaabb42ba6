import { createHash } from 'node:crypto';
import type { Provider } from '../../core/catalogue.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type {
  CanonicalChat,
  CanonicalEmbedding,
  CustomTool,
  FunctionTool,
  Tool,
} from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { brokenConnection, brokenStream, passedLimit, refusedCall } from '../wire/failure.ts';
import { type Behaviour, blocks, marker, type Piece, speak } from './behaviour.ts';
import { echo } from './echo.ts';
import { fittingJson } from './fitting-json.ts';
import { countInput, itemText, jsonTokens, lastUserText, words } from './words.ts';

/** Counts the output of a sandbox model, and stops it at the caller's limit. */
export class TokenCount {
  readonly #request: CanonicalChat;
  #output = 0;
  #reasoning = 0;
  #called = false;
  #cut = false;

  constructor(request: CanonicalChat) {
    this.#request = request;
  }

  /** Counts a delta; returns false when it exceeds the limit. */
  takes(delta: Delta): boolean {
    if (delta.kind === 'call') this.#called = true;
    if (!('text' in delta)) return true;
    if (this.#output === this.#request.maxOutputTokens) {
      this.#cut = true;
      return false;
    }
    this.#output += 1;
    if (delta.kind === 'thinking') this.#reasoning += 1;
    return true;
  }

  /** The final deltas: usage and finish. */
  ending(): Delta[] {
    const usage = {
      uncachedInput: countInput(this.#request),
      output: this.#output,
      reasoning: this.#reasoning,
    };
    const whole = this.#called ? 'tool_calls' : 'stop';
    return [
      { kind: 'usage', usage },
      { kind: 'finish', reason: this.#cut ? 'length' : whole },
    ];
  }
}

/** How fast the sandbox answers. Times in milliseconds. */
export interface Pace {
  readonly firstTokenDelay: number;
  /** Tokens sent together. */
  readonly batchSize: number;
  /** Pause after each batch; 0 means no pause. */
  readonly batchDelay: number;
}

const unhurriedBatch = 64;
/** The resolution of timers; faster rates send several tokens at once. */
const shortestDelay = 5;

/**
 * Reads the pace from the quirks: `firstTokenDelay` in milliseconds, `tokensPerSecond` (0 or unset: no limit).
 */
export function readPace({ quirks }: Provider): Pace {
  const firstTokenDelay = positive(quirks.firstTokenDelay);
  const tokensPerSecond = positive(quirks.tokensPerSecond);
  if (tokensPerSecond === 0) return { firstTokenDelay, batchSize: unhurriedBatch, batchDelay: 0 };
  const batchSize = Math.max(1, Math.round((tokensPerSecond * shortestDelay) / 1000));
  return { firstTokenDelay, batchSize, batchDelay: (batchSize * 1000) / tokensPerSecond };
}

function positive(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/**
 * Calls the first function offered, or the tool that the choice names; once a result is in the input, answers with
 * it.
 */
export const tools: Behaviour = (upstreamCall) => {
  const { request } = upstreamCall;
  const result = request.items.findLast((item) => item.kind === 'call_output');
  if (result) return answerText(`The tool answered: ${itemText(result)}`);
  const tool = chooseTool(request);
  return tool ? call(tool, upstreamCall) : answerText('There was no tool to call.');
};

/** A tool that the client runs; the sandbox can call no other. */
type ClientTool = FunctionTool | CustomTool;

function chooseTool({ tools, toolChoice }: CanonicalChat): ClientTool | undefined {
  const offered = tools.filter(isClientTool);
  if (toolChoice.kind === 'none') return undefined;
  if (toolChoice.kind === 'tool') return offered.find((tool) => tool.name === toolChoice.name);
  const names = toolChoice.kind === 'allowed' ? new Set(toolChoice.names) : undefined;
  const allowed = names === undefined ? offered : offered.filter((tool) => names.has(tool.name));
  return allowed.find((tool) => tool.kind === 'function') ?? allowed[0];
}

function isClientTool(tool: Tool): tool is ClientTool {
  return tool.kind === 'function' || tool.kind === 'custom';
}

function call(tool: ClientTool, upstreamCall: UpstreamCall): Piece[] {
  const { request } = upstreamCall;
  const earlier = request.items.filter((item) => item.kind === 'call').length;
  const callId = `call_sandbox_${earlier + 1}`;
  const input =
    tool.kind === 'custom'
      ? words(`${marker}input`)
      : jsonTokens(fittingJson(upstreamCall, tool.parameters ?? {}));
  return [
    { kind: 'call', block: blocks.call, form: tool.kind, name: tool.name, callId },
    ...speak('arguments', blocks.call, input),
    { kind: 'end', block: blocks.call },
  ];
}

function answerText(text: string): Piece[] {
  return speak('text', blocks.text, [marker, ...words(text)]);
}

const failureWord = /\b(?:(?<status>[45]\d\d)|disconnect-after-(?<count>\d+)|timeout|malformed|slow)\b/;
const slowStep = 250;
const retryAfter = 1;

const help =
  'Say 400, 401, 429, 500, 503, 529 or another status, timeout, disconnect-after-N, malformed or slow, ' +
  'and the next answer fails that way.';

/** Fails as the last user text says, in the form of a real provider's failure. */
export const flaky: Behaviour = (call) => {
  const match = failureWord.exec(lastUserText(call.request) ?? '');
  if (match === null) return speak('text', blocks.text, [marker, ...words(help)]);
  const { status, count } = match.groups ?? {};
  if (status !== undefined) return refuse(call, Number(status));
  if (count !== undefined) return disconnect(call, Number(count));
  if (match[0] === 'slow') return crawl(call);
  return match[0] === 'timeout' ? keepSilent(call) : garble(call);
};

// biome-ignore lint/correctness/useYield: a failure before the first piece is what this one is for
function* refuse({ endpoint }: UpstreamCall, status: number): Iterable<Piece> {
  const message = `${marker}The last user text asked for status ${status}.`;
  throw refusedCall(endpoint.provider, status, {
    message,
    retryAfter: status === 429 ? retryAfter : undefined,
  });
}

function* keepSilent({ endpoint }: UpstreamCall): Iterable<Piece> {
  const { provider } = endpoint;
  yield { kind: 'wait', milliseconds: provider.timeouts.firstEvent };
  throw passedLimit(provider, 'firstEvent');
}

function* disconnect(call: UpstreamCall, after: number): Iterable<Piece> {
  let left = after;
  for (const piece of echo(call)) {
    if (left === 0) break;
    yield piece;
    left -= 1;
  }
  throw brokenConnection(call.endpoint.provider, true, undefined);
}

function* garble(call: UpstreamCall): Iterable<Piece> {
  yield { kind: 'text', block: blocks.text, text: marker };
  const failure = new HeadgateError('provider_failed', 'The provider sent an event that cannot be read.');
  throw brokenStream(call.endpoint.provider, failure);
}

function* crawl(call: UpstreamCall): Iterable<Piece> {
  for (const piece of echo(call)) {
    yield { kind: 'wait', milliseconds: slowStep };
    yield piece;
  }
}

const usualDimensions = 64;

/** Makes vectors of length one from hashes: the same input always gives the same vector, and similar ones do not. */
export function* embed({ inputs, dimensions = usualDimensions }: CanonicalEmbedding): Iterable<Delta> {
  yield { kind: 'start' };
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const text = typeof input === 'string' ? input : input.join(' ');
    tokens += words(text).length;
    yield { kind: 'embedding', index, vector: vectorOf(text, dimensions) };
  }
  yield { kind: 'usage', usage: { uncachedInput: tokens, output: 0 } };
  yield { kind: 'finish', reason: 'stop' };
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions * 2 })
    .update(text)
    .digest();
  const vector = Float32Array.from({ length: dimensions }, (_, at) => bytes.readInt16LE(at * 2));
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** JSON that fits the requested format; without a schema, an object that describes itself. */
export const json: Behaviour = (call) => {
  const { format } = call.request;
  const text =
    format.kind === 'json_schema'
      ? fittingJson(call, format.schema)
      : JSON.stringify({ sandbox: true, echo: lastUserText(call.request) ?? '' });
  return speak('text', blocks.text, jsonTokens(text));
};

const filler = (
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et ' +
  'dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex ' +
  'ea commodo consequat'
).split(' ');

const usualLength = 256;

/** As many words of filler as the limit allows, including the marker; the seed selects the first word. */
export const lorem: Behaviour = function* ({ request }) {
  const length = request.maxOutputTokens ?? usualLength;
  const seed = Math.abs(request.sampling.seed ?? 0);
  yield { kind: 'text', block: blocks.text, text: marker };
  for (let count = 1; count < length; count++) {
    const word = filler[(seed + count - 1) % filler.length] ?? '';
    yield { kind: 'text', block: blocks.text, text: count === length - 1 ? word : `${word} ` };
  }
};

const thoughts = `${marker}Nothing thinks here. The answer will repeat what was said last.`;

/** A reasoning passage, unless reasoning is turned off, then the echo. */
export const reason: Behaviour = (call) => {
  const off = call.request.reasoning?.effort === 'none';
  return [...(off ? [] : speak('thinking', blocks.thinking, words(thoughts))), ...echo(call)];
};
