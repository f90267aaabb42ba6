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
  readonly cost: number | undefined;
}

/** A request in nobody's form. */
export interface Asked {
  readonly system?: string;
  readonly text: string;
  readonly tools?: readonly { readonly name: string; readonly parameters: object }[];
  readonly effort?: string;
  readonly maxTokens?: number;
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
}

type Block = { readonly type: string; readonly [member: string]: unknown };

const responses: PublicClient = {
  name: 'responses',
  path: '/api/v1/responses',
  body: ({ system, text, tools, effort, maxTokens }, model) => ({
    model,
    input: text,
    ...(system !== undefined && { instructions: system }),
    ...(tools !== undefined && { tools: tools.map((tool) => ({ type: 'function', ...tool })) }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
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
      cost: body.usage.cost,
    };
  },
  gather: (stream) => parseStream(stream).terminal,
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

const chat: PublicClient = {
  name: 'chat',
  path: '/api/v1/chat/completions',
  body: ({ system, text, tools, effort, maxTokens }, model) => ({
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: text },
    ],
    ...(tools !== undefined && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
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
      cost: usage.cost,
    };
  },
  gather: accumulateChat,
};

/** The public dialects; the first one is what the others are compared with. */
export const publicClients: readonly PublicClient[] = [responses, chat, messagesClient];

/** Sends a request and returns the body that came, or that the stream adds up to. */
export async function askPublic(
  gateway: TestGateway,
  client: PublicClient,
  body: object,
): Promise<{ readonly status: number; readonly body: unknown; readonly raw: string }> {
  const response = await fetch(gateway.url + client.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body),
  });
  const raw = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  assert.equal(isStream, response.status === 200 && 'stream' in body && body.stream === true);
  return { status: response.status, body: isStream ? client.gather(raw) : JSON.parse(raw), raw };
}
