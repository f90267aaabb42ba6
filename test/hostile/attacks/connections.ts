import type { Attack } from '../attack.ts';
import { openSocket, pause } from '../raw-socket.ts';

const connections = 8_000;

/** Connections on which nothing is asked. */
export const manyConnections: readonly Attack[] = [
  {
    name: 'connections',
    title: `${connections} connections of one address on which nothing is asked`,
    memory: 300,
    othersFrom: '127.0.0.2',
    async run(context) {
      const { signal, count } = context;
      for (let number = 0; number < connections && !signal.aborted; number += 1) {
        const socket = await openSocket(context);
        count('opened');
        socket.once('close', () => count('closed'));
        socket.resume();
      }
      await pause(context);
    },
  },
];
