import type { Attack, AttackContext } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, post } from '../raw-socket.ts';

const clients = 200;
/** About half a megabyte of text in small items, which takes tens of milliseconds to read and to count. */
const input = Array.from({ length: 4_000 }, (_, at) => ({
  role: 'user',
  content: `The number ${at} and ${'lorem ipsum dolor sit amet '.repeat(3)}`,
}));

async function ask(context: AttackContext): Promise<void> {
  const { key, signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.write(post(key, { model: 'sandbox/echo', input }, 'connection: close\r\n'));
  await closed;
}

/** More work than the processor can do. */
export const overload: readonly Attack[] = [
  {
    name: 'overload',
    title: `${clients} clients with long prompts, more than the processor can do`,
    memory: 1_500,
    sheds: true,
    run: (context) => keepDoing(clients, context, () => ask(context)),
    windDown: 2_000,
  },
];
