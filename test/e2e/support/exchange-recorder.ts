import assert from 'node:assert/strict';
import type { WireEvent } from '../../stream-checker.ts';
import { checkContract } from '../../support/contract.ts';
import { parseStream } from '../../support/read-stream.ts';

/** One answer as its bytes came. */
export interface Exchange {
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: Uint8Array[];
  /** Whether the body was read to its end. */
  complete: boolean;
}

/** The events of a recorded stream; none when it was not a stream. */
export function eventsOf(exchange: Exchange): readonly WireEvent[] {
  return isStream(exchange) ? parseStream(textOf(exchange)).events : [];
}

/**
 * Keeps the raw answers while a client library reads them, so that what the library saw can be held against the
 * specification.
 */
export class ExchangeRecorder {
  readonly exchanges: Exchange[] = [];

  /** A `fetch` to give to a client. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const address = input instanceof Request ? input.url : String(input);
    const exchange = this.begin(new URL(address).pathname, response.status, response.headers);
    if (response.body === null) return response;
    const tap = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        exchange.chunks.push(chunk.slice());
        controller.enqueue(chunk);
      },
      flush: () => {
        exchange.complete = true;
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
  };

  begin(path: string, status: number, headers: Headers): Exchange {
    const exchange: Exchange = { path, status, headers, chunks: [], complete: false };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Checks every complete answer of `/responses` against framing, grammar and contract, and forgets them all. */
  check(): readonly Exchange[] {
    const checked = this.exchanges.splice(0).filter(({ complete }) => complete);
    for (const exchange of checked) checkExchange(exchange);
    return checked;
  }
}

function checkExchange(exchange: Exchange): void {
  if (!exchange.path.endsWith('/responses')) return;
  assert.match(exchange.headers.get('x-generation-id') ?? '', /^gen-\d+-\w{22}$/);
  if (isStream(exchange)) parseStream(textOf(exchange));
  else
    checkContract(exchange.status === 200 ? 'OpenResponsesResult' : 'BadRequestResponse', bodyOf(exchange));
}

function bodyOf(exchange: Exchange): unknown {
  return JSON.parse(textOf(exchange));
}

function isStream({ headers }: Exchange): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function textOf({ chunks }: Exchange): string {
  return Buffer.concat(chunks).toString('utf8');
}
