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
      input: [{ role: 'user', content: contentOf(order) }],
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

/** Everything that providers will count: a count of what was not sent would not be believed. */
function contentOf(order: Order): readonly object[] {
  const counted = Object.values(order.at).flatMap((behaviour) =>
    behaviour.kind === 'answer' && behaviour.counts !== undefined ? [behaviour.counts] : [],
  );
  const tokens = counted.map(
    ({ fresh, cacheRead, cacheWrite, audio, pictures }) => fresh + cacheRead + cacheWrite + audio + pictures,
  );
  const text = `order-${order.number}.${' '.repeat(Math.max(0, ...tokens))}`;
  return [
    { type: 'input_text', text },
    ...(counted.some(({ pictures }) => pictures > 0) ? [picture] : []),
    ...(counted.some(({ audio }) => audio > 0) ? [sound] : []),
  ];
}

const picture = {
  type: 'input_image',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
};
const sound = { type: 'input_audio', input_audio: { data: 'UklGRiQAAABXQVZF', format: 'wav' } };
