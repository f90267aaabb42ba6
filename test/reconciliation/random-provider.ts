import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { chatChunk, dataEvent } from '../fake-upstream/chat-stream.ts';
import type { Behaviour, Order } from './orders.ts';
import type { ProviderSlug } from './price-list.ts';
import type { Counts } from './reckoning.ts';

/** A call a provider answered: what it would put on its invoice. */
export interface Served {
  readonly provider: ProviderSlug;
  readonly behaviour: Behaviour;
  /** Whether the account's own credential paid. */
  readonly own: boolean;
}

/** Two providers on one port that do with every order what it says. */
export interface RandomProvider {
  readonly url: string;
  /** Who answered the order last, with anything but a refusal. */
  servedBy(order: number): Served | undefined;
  close(): Promise<void>;
}

/** Starts it. Prompts name their order as `order-17.` */
export async function startRandomProvider(orders: readonly Order[], ownKey: string): Promise<RandomProvider> {
  const served = new Map<number, Served>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const number = Number(/order-(\d+)\./.exec(body)?.[1]);
    const provider = request.url?.startsWith('/north/') ? 'north' : 'deepinfra';
    const order = orders[number];
    const behaviour: Behaviour = order?.at[provider] ?? { kind: 'status', status: 500 };
    if (behaviour.kind === 'status') return refuse(response, behaviour.status);
    served.set(number, { provider, behaviour, own: isOwn(request, ownKey) });
    await answer(response, behaviour, body.includes('"stream":true'), order?.leaves === true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    servedBy: (order) => served.get(order),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isOwn(request: IncomingMessage, ownKey: string): boolean {
  return request.headers.authorization === `Bearer ${ownKey}`;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'no', code: status } }));
}

async function answer(
  response: ServerResponse,
  behaviour: Exclude<Behaviour, { readonly kind: 'status' }>,
  streamed: boolean,
  stays: boolean,
): Promise<void> {
  const tier = behaviour.kind === 'answer' && behaviour.tier ? { service_tier: behaviour.tier } : {};
  const usage = behaviour.kind === 'answer' ? (usageOf(behaviour.counts) ?? behaviour.nonsense) : undefined;
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
  // As long as the count says, for one beyond what was received would not be believed.
  const written = behaviour.kind === 'answer' ? (behaviour.counts?.written ?? 0) : 0;
  const rest = `day.${' '.repeat(written)}`;
  if (!streamed) {
    const message = { role: 'assistant', content: `Good ${rest}` };
    const whole = JSON.stringify({
      id: 'c',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
      ...tier,
    });
    if (behaviour.kind === 'answer') return void response.end(whole);
    response.write(whole.slice(0, 40));
    return void response.socket?.resetAndDestroy();
  }
  response.write(chatChunk({ role: 'assistant', content: 'Good ' }, null, tier));
  // Who leaves has read this, and the rest never comes.
  if (stays) return;
  if (behaviour.kind === 'breaks')
    return void response.write(dataEvent({ error: { message: 'broken' } }), () => response.end());
  response.write(chatChunk({ content: rest }) + chatChunk({}, 'stop'));
  response.end(`${dataEvent({ id: 'chatcmpl-1', choices: [], usage, ...tier })}data: [DONE]\n\n`);
}

/** Counts as this dialect tells them: parts within wholes. */
function usageOf(counts: Counts | undefined): object | undefined {
  if (counts === undefined) return undefined;
  const { fresh, cacheRead, cacheWrite, audio, pictures, written, reasoning } = counts;
  const input = fresh + cacheRead + cacheWrite + audio + pictures;
  return {
    prompt_tokens: input,
    completion_tokens: written + reasoning,
    total_tokens: input + written + reasoning,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      audio_tokens: audio,
      image_tokens: pictures,
    },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
