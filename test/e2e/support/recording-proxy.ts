import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExchangeRecorder } from './exchange-recorder.ts';

/** Passes everything on unchanged and keeps the answers: for clients whose `fetch` cannot be replaced. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  readonly recorder: ExchangeRecorder;
}

/** Starts a recording proxy in front of a server. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const recorder = new ExchangeRecorder();
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const passedOn = request(new URL(url, target), { method, headers, agent: false }, (answer) => {
      const { statusCode = 0, headersDistinct } = answer;
      const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const exchange = recorder.begin(url, statusCode, new Headers(pairs));
      outgoing.writeHead(statusCode, answer.headers);
      answer.on('data', (chunk: Buffer) => exchange.chunks.push(chunk));
      answer.once('end', () => {
        exchange.complete = true;
      });
      answer.pipe(outgoing);
    });
    outgoing.once('close', () => passedOn.destroy());
    passedOn.once('error', () => outgoing.destroy());
    incoming.pipe(passedOn);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    recorder,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
