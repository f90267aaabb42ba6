import type { Attack, AttackContext } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, postHead, write } from '../raw-socket.ts';

const live = 'GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n';
const refused = `${postHead('sk-nobody', 2)}{}`;
/** Bytes handed to the socket at a time. */
const burst = 64 * 1024;

/** One connection that sends the same request back to back. */
async function flood(request: string, reads: boolean, context: AttackContext): Promise<void> {
  const { count, signal } = context;
  const bytes = Buffer.from(request.repeat(Math.ceil(burst / request.length)));
  const socket = await openSocket(context);
  if (reads) countAnswers(socket, count);
  while (!signal.aborted && (await write(socket, bytes))) count('bytes sent', bytes.length);
  socket.destroy();
}

function flooding(name: string, title: string, request: string, reads: boolean): Attack {
  return {
    name,
    title,
    memory: 200,
    run: (context) => keepDoing(1, context, () => flood(request, reads, context)),
  };
}

/** One connection without a key that sends requests back to back. */
export const pipelining: readonly Attack[] = [
  flooding('pipelined-get', 'pipelined GET /health/live, read', live, true),
  flooding('pipelined-get-unread', 'pipelined GET /health/live, never read', live, false),
  flooding('pipelined-post', 'pipelined POST with a bad key, read', refused, true),
  flooding('pipelined-post-unread', 'pipelined POST with a bad key, never read', refused, false),
];
