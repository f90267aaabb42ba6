import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';

/** A webhook as it arrived. */
export interface Posted {
  readonly id: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly alert: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** Receives webhooks; answers with these statuses, then 204. */
export async function startReceiver(t: TestContext, ...statuses: number[]) {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    posted.push({
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body,
      alert: JSON.parse(body),
    });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const wait = (count: number) =>
    eventually(`${count} alerts`, () => (posted.length >= count ? posted : undefined));
  return { url: `http://127.0.0.1:${port}/hook`, posted, wait };
}
