import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/util/json.ts';
import type { DialectScript, SeenRequest, WireAnswer } from '../dialect-script.ts';

/** What a provider answers to one request, and how its bytes travel. */
export interface Delivery extends WireAnswer {
  /** Cuts the body into pieces of so many bytes instead of the dialect's events. */
  readonly pieceSize?: number;
  /** Milliseconds between two pieces. */
  readonly pause?: number;
  /** Milliseconds before the first piece. */
  readonly delay?: number;
  /** Breaks the connection after the pieces instead of ending the answer. */
  readonly broken?: boolean;
}

/** Decides the answer once the request is known. */
export type Play = (request: SeenRequest) => Delivery;

/** A provider that speaks one dialect by its script, on a real port. */
export interface ScriptedProvider {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Raw bodies, as they arrived. */
  readonly bodies: readonly JsonObject[];
  /** Answers so far whose connection was closed before their end. */
  readonly left: number;
  /** Each request takes the oldest play left, and the last one stays. */
  play(...plays: readonly Play[]): void;
  close(): Promise<void>;
}

/** Starts one. Answers to tokens asked for at `/token` too, for dialects whose credential needs one. */
export async function startScriptedProvider(dialect: DialectScript): Promise<ScriptedProvider> {
  let plays: Play[] = [];
  const seen: SeenRequest[] = [];
  const bodies: JsonObject[] = [];
  let left = 0;
  const server = createServer(async (request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) left += 1;
    });
    const text = await readBody(request);
    if (request.url === '/token') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'minted', expires_in: 3600, token_type: 'Bearer' }));
      return;
    }
    const body = JSON.parse(text) as JsonObject;
    bodies.push(body);
    const read = dialect.readRequest(body, request.url ?? '');
    seen.push(read);
    const play = plays.length > 1 ? plays.shift() : plays[0];
    if (play === undefined) {
      response.writeHead(500).end();
      return;
    }
    try {
      await deliver(response, play(read));
    } catch (error) {
      // A script that cannot say what it was given fails the behaviour, not the process.
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    bodies,
    get left() {
      return left;
    },
    play: (...more) => {
      plays = [...more];
      seen.length = 0;
      bodies.length = 0;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function deliver(response: ServerResponse, delivery: Delivery): Promise<void> {
  response.writeHead(delivery.status, delivery.headers);
  response.socket?.setNoDelay(true);
  response.flushHeaders();
  if (delivery.delay !== undefined) await sleep(delivery.delay);
  for (const piece of piecesOf(delivery)) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    if (delivery.pause !== undefined) await sleep(delivery.pause);
    else if (delivery.pieceSize !== undefined) await new Promise(setImmediate);
  }
  if (delivery.broken !== true) response.end();
  else {
    // What was written is to arrive before the connection breaks.
    await sleep(50);
    response.destroy();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function* piecesOf({ body, pieceSize }: Delivery): Generator<Buffer> {
  if (pieceSize === undefined) {
    yield* body;
    return;
  }
  const whole = Buffer.concat(body);
  for (let at = 0; at < whole.length; at += pieceSize) yield whole.subarray(at, at + pieceSize);
}
