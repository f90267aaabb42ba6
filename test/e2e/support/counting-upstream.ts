import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataEvent } from '../../fake-upstream/chat-stream.ts';

/** A call as the provider's own books have it. */
export interface CountedCall {
  readonly id: string;
  readonly input: number;
  readonly output: number;
  /** Whether all of the answer was given to the network. */
  complete: boolean;
}

/** A provider that remembers what it would send an invoice for. */
export interface CountingUpstream {
  /** Base URL of its chat completions. */
  readonly baseUrl: string;
  readonly calls: ReadonlyMap<string, CountedCall>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a provider whose answers take up to a few hundred milliseconds and differ in their counts. */
export async function startCountingUpstream(): Promise<CountingUpstream> {
  const calls = new Map<string, CountedCall>();
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const number = calls.size + 1;
    const call = {
      id: `chatcmpl-${number}`,
      input: 10 + (number % 7),
      output: 1 + (number % 40),
      complete: false,
    };
    calls.set(call.id, call);
    await (JSON.parse(body).stream === true ? answerStream(response, call) : answerWhole(response, call));
    call.complete = !response.destroyed;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerStream(response: ServerResponse, { id, input, output }: CountedCall): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let word = 0; word < output && !response.destroyed; word += 1) {
    response.write(dataEvent({ id, choices: [{ index: 0, delta: { content: 'word ' } }] }));
    if (word % 8 === 7) await sleep(10);
  }
  response.write(dataEvent({ id, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  response.write(dataEvent({ id, choices: [], usage: { prompt_tokens: input, completion_tokens: output } }));
  response.end('data: [DONE]\n\n');
}

async function answerWhole(response: ServerResponse, { id, input, output }: CountedCall): Promise<void> {
  await sleep(output);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: output },
    }),
  );
}
