import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackContext, Target } from './attack.ts';

/** A connection to the target that never fails loudly. Paused: it reads nothing until it is resumed. */
export async function openSocket({ host, port }: Pick<Target, 'host' | 'port'>): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  socket.on('error', () => undefined);
  socket.pause();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  return socket;
}

/** Counts the statuses of everything a connection is answered, and reads and drops the rest. */
export function countAnswers(socket: Socket, count: AttackContext['count']): void {
  let tail = '';
  socket.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1');
    for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) count(status);
    // Shorter than a status line, so that none is counted twice.
    tail = text.slice(-12);
  });
  socket.resume();
}

/** Writes as soon as the connection takes it. False when the connection has ended. */
export async function write(socket: Socket, bytes: Buffer | string): Promise<boolean> {
  if (socket.destroyed) return false;
  if (socket.write(bytes)) return true;
  const controller = new AbortController();
  const { signal } = controller;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(
    () => undefined,
  );
  controller.abort();
  return !socket.destroyed;
}

/** Runs as many of a task at the same time, each again and again until the attack is over. */
export async function keepDoing(
  count: number,
  { signal }: Pick<AttackContext, 'signal'>,
  task: (number: number) => Promise<void>,
): Promise<void> {
  const loop = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      await task(number).catch(() => undefined);
      // A server that refuses connections must not make this a busy loop.
      await sleep(10);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, number) => loop(number)));
}

/**
 * Opens so many connections one after the other, spread over three quarters of the attack: a process accepts one in a turn
 * of its event loop, so a burst alone makes others wait, whatever it asks for.
 */
export async function openSteadily(
  count: number,
  context: AttackContext,
  onOpen: (socket: Socket, number: number) => unknown,
): Promise<void> {
  const begin = performance.now();
  const interval = (context.seconds * 750) / count;
  for (let number = 0; number < count && !context.signal.aborted; number += 1) {
    const wait = begin + number * interval - performance.now();
    if (wait > 0) await pause(context, wait);
    await onOpen(await openSocket(context), number);
  }
}

/** Waits until the attack is over, or so many milliseconds. */
export async function pause({ signal }: Pick<AttackContext, 'signal'>, milliseconds?: number): Promise<void> {
  if (signal.aborted) return;
  await sleep(milliseconds ?? 2 ** 30, undefined, { signal }).catch(() => undefined);
}

/** The head of a `POST /responses` whose body has so many bytes; `undefined`: in chunks. */
export function postHead(key: string, length: number | undefined, more = ''): string {
  const size = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  return `POST /api/v1/responses HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${size}\r\n${more}\r\n`;
}

/** A whole `POST /responses`. */
export function post(key: string, body: object, more = ''): string {
  const json = JSON.stringify(body);
  return postHead(key, Buffer.byteLength(json), more) + json;
}
