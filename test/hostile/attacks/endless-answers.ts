import type { Attack, AttackContext } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, post } from '../raw-socket.ts';

/** Asks for an answer of a model of the hostile provider, and reads it to its end. */
async function ask(model: string, stream: boolean, context: AttackContext): Promise<void> {
  const { key, signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.write(post(key, { model: `hostile/${model}`, input: 'Hello', stream }, 'connection: close\r\n'));
  await closed;
  if (!signal.aborted) count('answers over');
}

function endless(
  name: string,
  title: string,
  model: string,
  { count = 1, stream = true, memory = 700 }: { count?: number; stream?: boolean; memory?: number } = {},
): Attack {
  return {
    name,
    title,
    memory,
    run: (context) => keepDoing(count, context, () => ask(model, stream, context)),
    windDown: 500,
  };
}

/** Providers whose answers have no end. */
export const endlessAnswers: readonly Attack[] = [
  endless('endless-answer', 'an endless answer, in large pieces', 'endless', { memory: 850 }),
  endless('endless-answers', '12 endless answers at once', 'endless', { count: 12, memory: 1_800 }),
  endless('endless-words', 'an endless answer, word by word', 'endless-words'),
  endless('endless-event', '12 answers of one endless event', 'endless-event', { count: 12, memory: 1_800 }),
  endless('endless-body', '12 endless answers without a stream', 'endless-body', {
    count: 12,
    stream: false,
    memory: 1_500,
  }),
  endless('endless-usage', '12 answers of counts without a word', 'endless-usage', { count: 12 }),
];
