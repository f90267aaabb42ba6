import { setTimeout as sleep } from 'node:timers/promises';
import type { Chooser } from '../../test/routing/random-numbers.ts';
import type { Answer } from './answer-log.ts';
import { keyedRequestLimit } from './options.ts';

/** The environment of the clients. */
export interface ClientSurroundings {
  /** Base URLs of the processes. */
  readonly targets: readonly string[];
  /** Raw keys of the accounts. */
  readonly keys: readonly string[];
  readonly over: AbortSignal;
  /** Watches for faults from now on; the returned function names what happened. */
  readonly watchFaults: () => () => string;
  readonly note: (answer: Answer) => void;
}

const pause = 50;
/** When a client gives up on a request, far beyond its limit. */
const patience = 3 * keyedRequestLimit;
const maxTries = 4;
/** The share of answered requests with a key that are sent again. */
const repeated = 0.3;

/** One client: sends requests in a loop to any process, as any account, streamed or not. */
export async function runClient(choose: Chooser, surroundings: ClientSurroundings): Promise<void> {
  const { targets, keys, over, note } = surroundings;
  while (!over.aborted) {
    const request: Request = {
      key: choose.one(keys),
      streamed: choose.chance(0.5),
      idempotencyKey: choose.chance(0.3) ? crypto.randomUUID() : undefined,
    };
    const again = choose.chance(repeated);
    // Only requests that are safe to repeat are repeated.
    const tries = request.idempotencyKey === undefined ? 1 : maxTries;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const answer = await ask(choose.one(targets), request, surroundings);
      note(answer);
      const isOver = answer.complete || (answer.status >= 400 && answer.status < 409);
      if (isOver && !(again && attempt === 0)) break;
      await sleep(4 * pause);
    }
    await sleep(pause);
  }
}

interface Request {
  readonly key: string;
  readonly streamed: boolean;
  readonly idempotencyKey: string | undefined;
}

async function ask(target: string, request: Request, { watchFaults }: ClientSurroundings): Promise<Answer> {
  const { key, streamed, idempotencyKey } = request;
  const phase = watchFaults();
  const began = performance.now();
  const response = await fetch(`${target}/api/v1/responses`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ model: 'paid/words', input: 'x', max_output_tokens: 60, stream: streamed }),
    signal: AbortSignal.timeout(patience),
  }).catch(() => undefined);
  const text = response === undefined ? '' : await readAll(response);
  const terminal = response?.status !== 200 ? undefined : streamed ? terminalIn(text) : wholeIn(text);
  return {
    phase: phase(),
    status: response?.status ?? 0,
    complete: terminal !== undefined,
    streamed,
    generationId: response?.headers.get('x-generation-id') ?? undefined,
    cost: terminal && Math.round(terminal.usage.cost * 1e9),
    idempotencyKey,
    took: performance.now() - began,
    at: Date.now(),
  };
}

async function readAll(response: Response): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    // Cut off; what came before may still be a complete answer.
  }
  return text;
}

interface Terminal {
  readonly usage: { readonly cost: number };
}

function terminalIn(text: string): Terminal | undefined {
  const data = /^data: (\{"type":"response\.(?:completed|incomplete)".*\})\n\n/m.exec(text)?.[1];
  return data === undefined ? undefined : JSON.parse(data).response;
}

function wholeIn(text: string): Terminal | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
