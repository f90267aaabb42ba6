import type { Attack } from '../attack.ts';
import { openSteadily, pause } from '../raw-socket.ts';

const connections = 8_000;

/** Connections on which nothing is asked. */
export const manyConnections: readonly Attack[] = [
  {
    name: 'connections',
    title: `${connections} connections of one address on which nothing is asked`,
    memory: 300,
    crowdsListener: true,
    othersFrom: '127.0.0.2',
    async run(context) {
      const { count } = context;
      await openSteadily(connections, context, (socket) => {
        count('opened');
        socket.once('close', () => count('closed'));
        socket.resume();
      });
      await pause(context);
    },
  },
];
