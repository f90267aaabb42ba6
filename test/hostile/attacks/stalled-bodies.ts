import type { Attack, AttackContext } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause, postHead, write } from '../raw-socket.ts';

const size = 32 * 1024 * 1024;
const connections = 17;
const piece = Buffer.alloc(256 * 1024, ' ');

/** Sends all of a body but its end, then nothing more. */
async function stall(key: string, context: AttackContext): Promise<void> {
  const { signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await write(socket, postHead(key, size));
  for (let left = size - 1; left > 0 && !signal.aborted; left -= piece.length) {
    if (!(await write(socket, piece.subarray(0, left)))) return;
  }
  count('stalled');
  await Promise.race([pause(context), closed]);
  socket.destroy();
}

function stalling(name: string, title: string, keyOf: (context: AttackContext) => string): Attack {
  return {
    name,
    title,
    memory: 800,
    run: (context) => keepDoing(connections, context, () => stall(keyOf(context), context)),
  };
}

/** Bodies that never come to their end. */
export const stalledBodies: readonly Attack[] = [
  stalling('stalled-bodies', `${connections} bodies of 32 MiB without their end`, ({ key }) => key),
  stalling('stalled-bodies-poor', 'the same, from an account without credits', ({ poorKey }) => poorKey),
];
