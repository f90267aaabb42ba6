import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Arrivals } from './arrival-clock.ts';
import { type ConnectionListener, LoadConnection, type Shot } from './load-connection.ts';
import { type LoadResult, Tally } from './tally.ts';

/**
 * Generates load and times answers, as a child process with an IPC channel: one order at a time, one result for each.
 * It ends when the channel closes.
 */

/** The orders of the parent. */
export type LoadOrder =
  /** Every connection sends its next request when the last one is answered. */
  | {
      readonly kind: 'closed';
      readonly shot: Shot;
      readonly connections: number;
      readonly seconds: number;
      /** Ends it earlier. */
      readonly atMost?: number;
      readonly keepTimes: boolean;
    }
  /** Requests are sent at random moments, whether or not earlier ones are answered. */
  | { readonly kind: 'paced'; readonly shot: Shot; readonly arrivals: Arrivals }
  /** Opens streams and keeps them open; the result comes when all have received their first text. */
  | { readonly kind: 'open'; readonly shot: Shot; readonly count: number }
  /** Times the stamped words of the streams that are open for some seconds. */
  | { readonly kind: 'watch'; readonly seconds: number }
  /** The result comes when all opened streams have ended. */
  | { readonly kind: 'drain' };

function runClosed(order: Extract<LoadOrder, { kind: 'closed' }>): Promise<LoadResult> {
  const tally = new Tally();
  const stopAt = performance.now() + order.seconds * 1000;
  const { atMost = Number.POSITIVE_INFINITY } = order;
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  let running = order.connections;
  const retire = (connection: LoadConnection): void => {
    connection.close();
    running -= 1;
    if (running === 0) resolve(tally.result());
  };
  const listener: ConnectionListener = {
    onAnswer(connection, answer) {
      tally.count(answer);
      if (order.keepTimes) tally.time(answer);
      if (performance.now() < stopAt && tally.answers < atMost) connection.send();
      else retire(connection);
    },
    onFailure(connection, reason) {
      tally.fail(reason);
      retire(connection);
    },
  };
  for (let index = 0; index < order.connections; index += 1) new LoadConnection(order.shot, listener).send();
  return promise;
}

/** Connections opened before paced load begins, so that hardly any answer includes connection set-up. */
const spareConnections = 32;
/**
 * Seconds at the start of paced load that are not timed, because threads and connections are still starting.
 */
const settling = 0.3;

function runPaced(order: Extract<LoadOrder, { kind: 'paced' }>): Promise<LoadResult> {
  const tally = new Tally();
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  const idle: LoadConnection[] = [];
  let inFlight = 0;
  let arriving = true;
  let timedFrom = Number.POSITIVE_INFINITY;
  const finishWhenDone = (): void => {
    if (arriving || inFlight > 0) return;
    for (const connection of idle) connection.close();
    resolve(tally.result());
  };
  const listener: ConnectionListener = {
    onAnswer(connection, answer) {
      inFlight -= 1;
      tally.count(answer);
      if (performance.now() > timedFrom) tally.time(answer);
      idle.push(connection);
      finishWhenDone();
    },
    onFailure(_connection, reason) {
      inFlight -= 1;
      tally.fail(reason);
      finishWhenDone();
    },
  };
  for (let index = 0; index < spareConnections; index += 1)
    idle.push(new LoadConnection(order.shot, listener));
  const clock = new Worker(new URL('./arrival-clock.ts', import.meta.url), {
    workerData: { ...order.arrivals, seconds: order.arrivals.seconds + settling } satisfies Arrivals,
  });
  clock.on('message', (arrived: boolean) => {
    arriving = arrived;
    if (timedFrom === Number.POSITIVE_INFINITY) timedFrom = performance.now() + settling * 1000;
    if (arrived) {
      inFlight += 1;
      (idle.pop() ?? new LoadConnection(order.shot, listener)).send();
    }
    finishWhenDone();
  });
  return promise;
}

/** Opens this many streams at once, so that the listener's queue never overflows. */
const opening = 64;
let drained: Promise<LoadResult> | undefined;
let words: number[] = [];
let isWatching = false;

async function runWatch({ seconds }: Extract<LoadOrder, { kind: 'watch' }>): Promise<LoadResult> {
  const tally = new Tally();
  words = [];
  isWatching = true;
  await sleep(seconds * 1000);
  isWatching = false;
  return { ...tally.result(), wordTimes: words };
}

function runOpen(order: Extract<LoadOrder, { kind: 'open' }>): Promise<LoadResult> {
  const tally = new Tally();
  const opened = Promise.withResolvers<LoadResult>();
  const ended = Promise.withResolvers<LoadResult>();
  drained = ended.promise;
  let started = 0;
  let shown = 0;
  const start = (): void => {
    if (started === order.count) return;
    started += 1;
    new LoadConnection(order.shot, listener).send();
  };
  const settle = (): void => {
    if (shown + tally.failures >= order.count) opened.resolve({ ...tally.result(), answers: shown });
    if (tally.answers + tally.failures >= order.count) ended.resolve(tally.result());
  };
  const listener: ConnectionListener = {
    onWord(delay) {
      if (isWatching) words.push(delay / 1000);
    },
    onFirstText() {
      shown += 1;
      start();
      settle();
    },
    onAnswer(connection, answer) {
      tally.count(answer);
      connection.close();
      settle();
    },
    onFailure(_connection, reason) {
      tally.fail(reason);
      start();
      settle();
    },
  };
  for (let index = 0; index < opening; index += 1) start();
  return opened.promise;
}

async function run(order: LoadOrder): Promise<LoadResult> {
  switch (order.kind) {
    case 'closed':
      return runClosed(order);
    case 'paced':
      return runPaced(order);
    case 'open':
      return runOpen(order);
    case 'watch':
      return runWatch(order);
    case 'drain':
      if (drained === undefined) throw new Error('nothing was opened');
      return drained;
  }
}

process.on('message', (order: LoadOrder) => {
  run(order).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));
