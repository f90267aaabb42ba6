import assert from 'node:assert/strict';
import type { TestGateway } from '../../support/gateway.ts';
import { parseStream } from '../../support/read-stream.ts';
import { accumulateChat } from './accumulate-chat.ts';
import { messagesClient } from './messages-client.ts';

/** What an answer says, whatever its form. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[];
  readonly citations: readonly string[];
  readonly pictures: number;
  readonly ending: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'failed';
  readonly input: number;
  readonly output: number;
  /** Input read from a cache, and output that was reasoning; 0 where nothing was reported. */
  readonly cached: number;
  readonly thought: number;
  readonly cost: number | undefined;
}

/** A request in nobody's form. */
export interface Asked {
  readonly system?: string;
  readonly text: string;
  readonly tools?: readonly { readonly name: string; readonly parameters: object }[];
  readonly effort?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Base64 of a PNG picture beside the text. */
  readonly picture?: string;
  /** Calls that the model made, with the outputs they got. */
  readonly called?: readonly MadeCall[];
  /** The schema its answer has to fit. */
  readonly schema?: object;
}

/** A call of a function, with its output. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
  readonly output: string;
}

/** How clients of one public dialect ask, and what they understand. */
export interface PublicClient {
  readonly name: string;
  readonly path: string;
  body(asked: Asked, model: string): object;
  /** What an unstreamed body says. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several interfaces.
  read(body: any): Said;
  /** The body that a whole stream adds up to. */
  gather(stream: string): unknown;
  /** What a stream that failed said until then, and the type of its error. */
  broken(stream: string): BrokenStream;
}

/** A stream that failed. */
export interface BrokenStream {
  readonly text: string;
  readonly errorType: string;
}

/** The objects of the data lines of a stream, the sentinel left out. */
// biome-ignore lint/suspicious/noExplicitAny: events of several interfaces.
export function dataOf(stream: string): readonly any[] {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

type Block = { readonly type: string; readonly [member: string]: unknown };

const responses: PublicClient = {
  name: 'responses',
  path: '/api/v1/responses',
  body: (asked, model) => ({
    model,
    input: [
      ...(asked.system === undefined ? [] : [{ role: 'system', content: asked.system }]),
      {
        role: 'user',
        content: [
          { type: 'input_text', text: asked.text },
          ...(asked.picture === undefined
            ? []
            : [{ type: 'input_image', image_url: pngUrl(asked.picture), detail: 'auto' }]),
        ],
      },
      ...(asked.called ?? []).map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
      ...(asked.called ?? []).map(({ id, output }) => ({
        type: 'function_call_output',
        call_id: id,
        output,
      })),
    ],
    ...(asked.tools && { tools: asked.tools.map((tool) => ({ type: 'function', strict: false, ...tool })) }),
    ...(asked.effort !== undefined && { reasoning: { effort: asked.effort } }),
    ...(asked.maxTokens !== undefined && { max_output_tokens: asked.maxTokens }),
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(asked.schema && { text: { format: { type: 'json_schema', ...named(asked.schema) } } }),
    include: ['reasoning.encrypted_content'],
  }),
  read(body) {
    const output = body.output as Block[];
    const parts = output
      .filter(({ type }) => type === 'message')
      .flatMap(({ content }) => content as Block[]);
    const thoughts = output.filter(({ type }) => type === 'reasoning');
    const calls = output.filter(({ type }) => type === 'function_call');
    const pictures = output.filter(({ type, result }) => type === 'image_generation_call' && result);
    return {
      text: parts.map(({ text = '' }) => text).join(''),
      refusal: parts.map(({ refusal = '' }) => refusal).join(''),
      citations: parts.flatMap(({ annotations = [] }) =>
        (annotations as Block[]).map(({ url }) => String(url)),
      ),
      reasoning: thoughts
        .map(thoughtOf)
        .filter((text) => text !== '')
        .join('\n\n'),
      calls: calls.map((call) => [
        String(call.call_id),
        String(call.name),
        JSON.parse(String(call.arguments)),
      ]),
      pictures: pictures.length,
      ending: endingOf(body, calls.length > 0),
      input: body.usage.input_tokens,
      output: body.usage.output_tokens,
      cached: body.usage.input_tokens_details?.cached_tokens ?? 0,
      thought: body.usage.output_tokens_details?.reasoning_tokens ?? 0,
      cost: body.usage.cost,
    };
  },
  gather: (stream) => parseStream(stream).terminal,
  broken(stream) {
    const events = dataOf(stream);
    const last = events.at(-1);
    return {
      text: events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join(''),
      errorType: last.response?.error_type ?? JSON.stringify(last),
    };
  },
};

function thoughtOf({ content, summary }: Block): string {
  const said = (content as Block[]).length > 0 ? (content as Block[]) : (summary as Block[]);
  return said.map(({ text }) => text).join('\n\n');
}

// biome-ignore lint/suspicious/noExplicitAny: a response object.
function endingOf({ status, incomplete_details }: any, calls: boolean): Said['ending'] {
  if (status === 'failed') return 'failed';
  if (status === 'completed') return calls ? 'tool_calls' : 'stop';
  return incomplete_details.reason === 'max_output_tokens' ? 'length' : 'content_filter';
}

function chatCall({ id, name, input }: MadeCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function pngUrl(data: string): string {
  return `data:image/png;base64,${data}`;
}

/** The name that a schema of Messages gets, which has none of its own there. */
function named(schema: object): object {
  return { name: 'response', schema, strict: true };
}

const chat: PublicClient = {
  name: 'chat',
  path: '/api/v1/chat/completions',
  body: (asked, model) => ({
    model,
    messages: [
      ...(asked.system === undefined ? [] : [{ role: 'system', content: asked.system }]),
      {
        role: 'user',
        content: [
          { type: 'text', text: asked.text },
          ...(asked.picture === undefined
            ? []
            : [{ type: 'image_url', image_url: { url: pngUrl(asked.picture), detail: 'auto' } }]),
        ],
      },
      ...(asked.called === undefined ? [] : [{ role: 'assistant', tool_calls: asked.called.map(chatCall) }]),
      ...(asked.called ?? []).map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output })),
    ],
    ...(asked.tools && { tools: asked.tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(asked.effort !== undefined && { reasoning_effort: asked.effort }),
    ...(asked.maxTokens !== undefined && { max_tokens: asked.maxTokens }),
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(asked.schema && {
      response_format: { type: 'json_schema', json_schema: named(asked.schema) },
    }),
  }),
  read({ choices: [choice], usage }) {
    const { message, finish_reason: finish } = choice;
    const calls = (message.tool_calls ?? []) as {
      id: string;
      function: { name: string; arguments: string };
    }[];
    const citations = (message.annotations ?? []) as { url_citation: { url: string } }[];
    return {
      text: message.content ?? '',
      refusal: message.refusal ?? '',
      citations: citations.map(({ url_citation }) => url_citation.url),
      reasoning: message.reasoning ?? '',
      calls: calls.map(({ id, function: called }) => [id, called.name, JSON.parse(called.arguments)]),
      pictures: message.images?.length ?? 0,
      ending: finish === 'error' ? 'failed' : finish,
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      thought: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      cost: usage.cost,
    };
  },
  gather: accumulateChat,
  broken(stream) {
    const chunks = dataOf(stream);
    return {
      text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
      errorType: chunks.at(-1).error?.metadata.error_type ?? JSON.stringify(chunks.at(-1)),
    };
  },
};

/** The public dialects; the first one is what the others are compared with. */
export const publicClients: readonly PublicClient[] = [responses, chat, messagesClient];

/** What came back from one of them. */
export interface PublicAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly raw: string;
}

/** Sends a request and returns the body that came, or that the stream adds up to. */
export async function askPublic(
  gateway: TestGateway,
  client: PublicClient,
  body: object,
): Promise<PublicAnswer> {
  const response = await fetch(gateway.url + client.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body),
  });
  const raw = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  assert.equal(isStream, response.status === 200 && 'stream' in body && body.stream === true);
  const { status, headers } = response;
  return { status, headers, body: isStream ? client.gather(raw) : JSON.parse(raw), raw };
}
