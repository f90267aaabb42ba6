import type { Attack } from '../attack.ts';
import { openSteadily, pause, post, write } from '../raw-socket.ts';

const streams = 500;

/** Streams of a fast provider that nobody reads. */
export const unreadStreams: readonly Attack[] = (['endless', 'endless-words'] as const).map((model) => ({
  name: model === 'endless' ? 'unread-streams' : 'unread-words',
  title: `${streams} streams of a fast provider, never read${model === 'endless' ? '' : ', word by word'}`,
  memory: 1_500,
  crowdsListener: true,
  async run(context) {
    const { key, count } = context;
    await openSteadily(streams, context, (socket) => {
      count('streams');
      return write(socket, post(key, { model: `hostile/${model}`, input: 'Hello', stream: true }));
    });
    await pause(context);
  },
  windDown: 1_000,
}));
