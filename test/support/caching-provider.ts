import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** How many tokens a message has, whatever it says. */
const messageTokens = 10;

/** A provider with a prompt cache, on a real port: `http://127.0.0.1:<port>`. */
export interface CachingProvider {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a provider that keeps every prompt it read, and tells how much of a new one it knew. */
export async function startCachingProvider(): Promise<CachingProvider> {
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { readonly messages: readonly unknown[] };
    const beginnings = messages.map((_, index) => JSON.stringify(messages.slice(0, index + 1)));
    const cached = beginnings.findLastIndex((beginning) => known.has(beginning)) + 1;
    for (const beginning of beginnings) known.add(beginning);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerTo(messages.length, cached)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerTo(messages: number, cached: number): object {
  const prompt = messages * messageTokens;
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'atlas-4',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: 3,
      total_tokens: prompt + 3,
      prompt_tokens_details: { cached_tokens: cached * messageTokens },
    },
  };
}
