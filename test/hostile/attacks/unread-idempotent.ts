import type { Attack } from '../attack.ts';
import { openSteadily, pause, post, write } from '../raw-socket.ts';

const streams = 1_500;

/** Streams under an idempotency key of their own, which nobody reads. */
export const unreadIdempotent: readonly Attack[] = [
  {
    name: 'unread-idempotent',
    title: `${streams} streams with an Idempotency-Key, never read`,
    // What is kept has a bound of 128 MiB; the engine lets its heap double before it collects what is not.
    memory: 1_200,
    crowdsListener: true,
    async run(context) {
      const { key, count } = context;
      const body = { model: 'sandbox/lorem', input: 'Hello', stream: true, max_output_tokens: 16_384 };
      await openSteadily(streams, context, async (socket, number) => {
        socket.once('readable', () => count((socket.read(12) ?? '').toString('latin1').slice(9)));
        await write(socket, post(key, body, `idempotency-key: k${context.seed}-${number}\r\n`));
        count('streams');
      });
      await pause(context);
    },
    windDown: 1_000,
  },
];
