import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A picture of one dot. */
export const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Counts of a call, as the provider would bill it. */
export interface BilledCall {
  readonly input: number;
  readonly output: number;
}

/** A provider whose models use tools, and a search engine, which both remember what they would bill. */
export interface CountingTools {
  /** Its chat completions are below `/v1`, the engine below `/search`. */
  readonly url: string;
  readonly calls: ReadonlyMap<string, BilledCall>;
  /** How many searches the engine has begun. */
  readonly searches: number;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What a model hands to each tool, by its function. */
const inputs: Readonly<Record<string, (number: number) => object>> = {
  service_web_search: (number) => ({ query: `tides ${number}` }),
  service_files: (number) => ({ operation: 'write', filename: `${number}.txt`, content: `note ${number}` }),
  service_image_generation: () => ({ prompt: 'A dot.' }),
};

/** Starts it. Models use each tool that they are offered in a turn of its own, twice in parallel, and then write a word. */
export async function startCountingTools(): Promise<CountingTools> {
  const calls = new Map<string, BilledCall>();
  let searches = 0;
  const complete = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = (await readBody(request)) as Asked;
    const number = calls.size + 1;
    const id = `chatcmpl-${number}`;
    const call = { input: 10 + (number % 7), output: 1 + (number % 40) };
    calls.set(id, call);
    await sleep(call.output);
    sendJson(response, {
      id,
      object: 'chat.completion',
      choices: [{ index: 0, ...answerTo(asked, number) }],
      usage: { prompt_tokens: call.input, completion_tokens: call.output },
    });
  };
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    if (request.url?.startsWith('/v1/') === true) return complete(request, response);
    searches += 1;
    await sleep(20 * Math.random());
    sendJson(response, { results: [{ url: 'https://sea.example/a', title: 'A', highlights: ['Noon.'] }] });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    get searches() {
      return searches;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerTo({ model, messages, tools = [] }: Asked, number: number): object {
  if (model === 'painter') {
    const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } }];
    return { message: { role: 'assistant', content: '', images }, finish_reason: 'stop' };
  }
  const used = messages.filter(({ role }) => role === 'tool').length / 2;
  const name = tools.map((tool) => tool.function.name)[used];
  const input = name === undefined ? undefined : inputs[name];
  if (name === undefined || input === undefined)
    return { message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' };
  const tool_calls = [0, 1].map((index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input(number * 2 + index)) },
  }));
  return { message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return JSON.parse(body);
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
