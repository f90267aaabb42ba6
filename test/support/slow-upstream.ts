import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** A provider that takes its time, and counts how many requests it serves at once. */
export interface SlowUpstream {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** Requests that ever came. */
  readonly received: number;
  /** The most requests that ran at the same time. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

/** What a slow provider answers, and after how many milliseconds. */
export interface SlowAnswer {
  readonly outputTokens: number;
  readonly inputTokens?: number;
  readonly cachedTokens?: number;
  readonly pause: number;
}

/** Starts it on a free port. It speaks the chat dialect, streamed or not. */
export async function startSlowUpstream(answer: SlowAnswer): Promise<SlowUpstream> {
  let received = 0;
  let running = 0;
  let mostAtOnce = 0;
  const server = createServer(async (request, response) => {
    received += 1;
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    response.once('close', () => {
      running -= 1;
    });
    const { stream } = (await json(request)) as { readonly stream?: boolean };
    await setTimeout(answer.pause, undefined, { ref: false });
    if (stream === true) writeStream(response, answer);
    else writeWhole(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get received() {
      return received;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function usageOf({ inputTokens = 9, cachedTokens, outputTokens }: SlowAnswer) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
}

/** Long enough that a thousand tokens are plausible. */
const text = 'Good day. '.repeat(500);

function writeWhole(response: ServerResponse, answer: SlowAnswer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: 'chatcmpl-slow',
      object: 'chat.completion',
      model: 'slow',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: usageOf(answer),
    }),
  );
}

function writeStream(response: ServerResponse, answer: SlowAnswer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk: object) =>
    response.write(`data: ${JSON.stringify({ id: 'chatcmpl-slow', model: 'slow', ...chunk })}\n\n`);
  send({ choices: [{ index: 0, delta: { role: 'assistant', content: text } }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  send({ choices: [], usage: usageOf(answer) });
  response.end('data: [DONE]\n\n');
}
