import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two requests. */
const interval = 25;
/** Connections of a client that keeps them. */
const kept = 12;
/** Milliseconds after which a request counts as never answered. */
const patience = 10_000;

/** What other clients met in one phase of a case. */
export interface Experience {
  /** Milliseconds from the moment a request was due until its answer was there, sorted. */
  readonly latencies: number[];
  /** How many answers had a status of 500 or above, but for those that told when to come back. */
  errors: number;
  /** How many were told by 503 to come back later. */
  shed: number;
  /** How many were never answered. */
  unanswered: number;
  /** What went wrong, each kind once. */
  readonly reasons: Set<string>;
}

/** Who a bystander is. */
export interface BystanderOptions {
  readonly port: number;
  readonly key: string;
  /** The address it comes from; undefined: the usual one. */
  readonly from: string | undefined;
  /** Whether it keeps its connections; otherwise some requests open one of their own, and streams end theirs. */
  readonly keepsConnections: boolean;
}

/** A client that does nothing unusual: it sends a request 40 times a second, whatever becomes of the others. */
export class Bystander {
  readonly #agent: Agent;
  readonly #options: BystanderOptions;
  readonly #running = new Set<Promise<void>>();
  /** USD that whole answers said they cost. */
  cost = 0;
  /** Ids of answers that said what they cost. */
  readonly answers: string[] = [];

  constructor(options: BystanderOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.keepsConnections ? kept : 64 });
  }

  /** Opens the connections it keeps, and has the server do everything once. */
  async warmUp(): Promise<void> {
    const seen = newExperience();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: kept }, (_, number) => this.#send(number, 0, seen)));
    }
  }

  /** Sends requests for so many seconds and waits for the last answer. */
  async observe(seconds: number): Promise<Experience> {
    const seen = newExperience();
    const begin = performance.now();
    for (let number = 0; number * interval < seconds * 1000; number += 1) {
      const due = begin + number * interval;
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      const one = this.#send(number, due, seen);
      this.#running.add(one);
      void one.finally(() => this.#running.delete(one));
    }
    await Promise.all(this.#running);
    seen.latencies.sort((a, b) => a - b);
    return seen;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(number: number, due: number, seen: Experience): Promise<void> {
    try {
      const { status, generation, retryAfter, body } = await this.#exchange(number);
      if (status === 503 && retryAfter !== undefined) seen.shed += 1;
      else if (status >= 500) seen.errors += 1;
      if (status !== 200) seen.reasons.add(`${status} ${body.slice(0, 200)}`);
      else this.#note(generation, body);
    } catch (error) {
      seen.unanswered += 1;
      seen.reasons.add(String(error));
    }
    seen.latencies.push(performance.now() - due);
  }

  #note(generation: string | undefined, body: string): void {
    const answer = JSON.parse(body.startsWith('{') ? body : lastData(body));
    const { usage } = answer.response ?? answer;
    if (generation === undefined || typeof usage?.cost !== 'number') return;
    this.cost += usage.cost;
    this.answers.push(generation);
  }

  #exchange(number: number): Promise<{
    readonly status: number;
    readonly generation: string | undefined;
    readonly retryAfter: string | undefined;
    readonly body: string;
  }> {
    const { port, key, from, keepsConnections } = this.#options;
    const isGet = number % 10 === 9;
    const body = isGet
      ? ''
      : JSON.stringify({ model: 'calm/calm', input: 'Hello', stream: !keepsConnections && number % 4 === 1 });
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          localAddress: from,
          // Some clients keep no connection.
          agent: !keepsConnections && number % 8 === 0 ? false : this.#agent,
          method: isGet ? 'GET' : 'POST',
          path: isGet ? '/api/v1/key' : '/api/v1/responses',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          // Also while it waits for a connection of the agent's.
          signal: AbortSignal.timeout(patience),
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              generation: answer.headersDistinct['x-generation-id']?.[0],
              retryAfter: answer.headers['retry-after'],
              body: text,
            }),
          );
          answer.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function newExperience(): Experience {
  return { latencies: [], errors: 0, shed: 0, unanswered: 0, reasons: new Set() };
}

/** What the last event of a stream but the sentinel says. */
function lastData(stream: string): string {
  const data = stream.split('\n').filter((line) => line.startsWith('data: {'));
  return data.at(-1)?.slice('data: '.length) ?? '{}';
}

/** The value that so many of 100 do not exceed; 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? 0;
}
