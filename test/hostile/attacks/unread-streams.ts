import type { Attack } from '../attack.ts';
import { openSocket, pause, post, write } from '../raw-socket.ts';

const streams = 500;

/** Streams of a fast provider that nobody reads. */
export const unreadStreams: readonly Attack[] = (['endless', 'endless-words'] as const).map((model) => ({
  name: model === 'endless' ? 'unread-streams' : 'unread-words',
  title: `${streams} streams of a fast provider, never read${model === 'endless' ? '' : ', word by word'}`,
  memory: 1_500,
  async run(context) {
    const { key, signal, count } = context;
    for (let number = 0; number < streams && !signal.aborted; number += 1) {
      const socket = await openSocket(context);
      await write(socket, post(key, { model: `hostile/${model}`, input: 'Hello', stream: true }));
      count('streams');
    }
    await pause(context);
  },
  windDown: 1_000,
}));
