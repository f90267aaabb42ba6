import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from './orders.ts';

/** What a client saw of its request. */
export interface Seen {
  readonly order: Order;
  readonly status: number;
  readonly generationId: string | undefined;
  /** The `usage` of a whole answer, or of the last event of a stream; undefined where there was none. */
  readonly usage: { readonly cost: number; readonly is_byok: boolean } | undefined;
}

/** Makes a request as its order says. */
export async function carryOut(
  gateway: { readonly url: string },
  rawKey: string,
  order: Order,
): Promise<Seen> {
  const others = order.first === 'north' ? ['north', 'deepinfra'] : ['deepinfra', 'north'];
  const response = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${rawKey}` },
    body: JSON.stringify({
      model: order.model.id,
      input: `order-${order.number}.${padding(order)}`,
      stream: order.stream,
      max_output_tokens: 5_000,
      provider: { order: others },
    }),
  });
  const seen = {
    order,
    status: response.status,
    generationId: response.headers.get('x-generation-id') ?? undefined,
  };
  if (order.leaves && response.status === 200) return { ...seen, usage: await leave(response) };
  const text = await response.text();
  const line = order.stream
    ? text
        .split('\n')
        .findLast((one) => one.startsWith('data: {'))
        ?.slice(6)
    : text;
  const body = JSON.parse(line ?? '{}') as { usage?: Seen['usage']; response?: { usage?: Seen['usage'] } };
  return { ...seen, usage: body.response?.usage ?? body.usage };
}

/** Reads the first word, and no more. */
async function leave(response: Response): Promise<undefined> {
  const reader = response.body?.getReader();
  for (let text = ''; !text.includes('Good'); ) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    text += new TextDecoder().decode(piece.value);
  }
  await sleep(1);
  await reader?.cancel();
  return undefined;
}

/** As many bytes as a provider will count tokens: a count beyond what was sent would not be believed. */
function padding({ at }: Order): string {
  const counted = Object.values(at).map((behaviour) => {
    if (behaviour.kind !== 'answer' || behaviour.counts === undefined) return 0;
    const { fresh, cacheRead, cacheWrite, audio, pictures } = behaviour.counts;
    return fresh + cacheRead + cacheWrite + audio + pictures;
  });
  return ' '.repeat(Math.max(...counted));
}
