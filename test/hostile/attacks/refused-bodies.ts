import type { Attack, AttackContext, Counts } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause, postHead, write } from '../raw-socket.ts';

const piece = Buffer.alloc(1024 * 1024, ' ');
const tiny = Buffer.from('1\r\n \r\n'.repeat(10_000));

/** Goes on sending a body that was refused already. */
async function sendOn(head: string, bytes: Buffer, context: AttackContext): Promise<void> {
  const { signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  count('connections');
  await write(socket, head);
  while (!signal.aborted && (await write(socket, bytes))) count('MiB sent', bytes.length / 2 ** 20);
  socket.destroy();
}

/** Sends a byte a second of what should come at once. */
async function trickle(first: string, context: AttackContext): Promise<void> {
  const { signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  await write(socket, first);
  while (!signal.aborted && (await write(socket, 'x'))) await pause(context, 1_000);
  count('trickles over');
  socket.destroy();
}

/** A server that reads on takes gigabytes; one that does not, what was on its way and a little more. */
function judge({ 'MiB sent': sent = 0, connections = 0 }: Counts): readonly string[] {
  const each = sent / Math.max(connections, 1);
  return each <= 16 ? [] : [`the server read ${Math.round(each)} MiB of a refused body`];
}

const endless = 2 ** 40;
const trickling = 400;

/** Bodies the server does not want, and what comes too slowly. */
export const refusedBodies: readonly Attack[] = [
  {
    name: 'after-401',
    title: '4 connections that go on sending after 401',
    memory: 200,
    run: (context) => keepDoing(4, context, () => sendOn(postHead('sk-nobody', endless), piece, context)),
    judge,
  },
  {
    name: 'after-413',
    title: '4 connections that go on sending after 413',
    memory: 200,
    run: (context) => keepDoing(4, context, () => sendOn(postHead(context.key, endless), piece, context)),
    judge,
  },
  {
    name: 'tiny-chunks',
    title: '4 connections that send a body in chunks of one byte',
    memory: 300,
    run: (context) => keepDoing(4, context, () => sendOn(postHead(context.key, undefined), tiny, context)),
  },
  {
    name: 'trickle',
    title: `${trickling} connections that trickle headers and bodies`,
    memory: 200,
    run: (context) =>
      keepDoing(trickling, context, (number) =>
        trickle(number % 2 === 0 ? 'GET / HTTP/1.1\r\nx-slow: ' : postHead(context.key, 1_000_000), context),
      ),
  },
];
