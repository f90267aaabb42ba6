import { createServer, type Socket } from 'node:net';
import { prepareAnswer, type ScriptedAnswer, type ScriptName, stampedWord } from './scripted-answers.ts';

/**
 * A provider with just enough HTTP/1.1 and chat completions: raw sockets, no header parsing beyond the body's length,
 * answers built beforehand. It shares a core with the load generator, so its cost reduces the possible load. Run as a
 * child process with an IPC channel; it ends when that closes.
 */

/** The orders of the parent; each is answered with `true` once it is done. */
export type UpstreamOrder =
  | { readonly script: ScriptName }
  /** Every open stream gets one word per second from now on, until they end. */
  | { readonly trickle: true }
  /** Every open stream gets a stamped word each 20 ms from now on, until they end; the streams spread over that time. */
  | { readonly pace: true }
  | { readonly finishHeld: true };

/** Sent once, when it listens on 127.0.0.1. */
export interface UpstreamReady {
  readonly port: number;
}

const answers: Readonly<Record<ScriptName, ScriptedAnswer>> = {
  short: prepareAnswer('short'),
  long: prepareAnswer('long'),
  held: prepareAnswer('held'),
};
const trickleTick = 20;
const trickleShare = 1000 / trickleTick;

let script: ScriptName = 'short';
let held: Socket[] = [];
let trickled = 0;
let trickling = false;

/** Milliseconds between two words of a paced stream. */
const pace = 20;
const paceTick = 1;
let pacing: NodeJS.Timeout | undefined;
/** Words that were due since pacing began, of all streams. */
let paced = 0;

const headEnd = Buffer.from('\r\n\r\n');
const streamFlag = Buffer.from('"stream":true');

function serve(socket: Socket): void {
  let pending: Buffer | undefined;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    pending = pending === undefined ? bytes : Buffer.concat([pending, bytes]);
    while (pending !== undefined) {
      const end = requestEnd(pending);
      if (end === undefined) return;
      answer(socket, pending.includes(streamFlag));
      pending = end < pending.length ? pending.subarray(end) : undefined;
    }
  });
}

/** The end of the first request; undefined while it is incomplete. */
function requestEnd(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const length = /content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('the scripted upstream reads only bodies with a content-length');
  const total = end + headEnd.length + Number(length);
  return bytes.length < total ? undefined : total;
}

function answer(socket: Socket, streamed: boolean): void {
  const scripted = answers[script];
  if (!streamed) {
    socket.write(scripted.whole);
  } else if (script === 'held') {
    socket.write(scripted.opening);
    held.push(socket);
  } else {
    for (const bytes of scripted.writes) socket.write(bytes);
  }
}

function trickle(): void {
  if (!trickling) return;
  const count = Math.ceil(held.length / trickleShare);
  for (let step = 0; step < count; step += 1) {
    held[trickled % held.length]?.write(answers.held.word);
    trickled += 1;
  }
}

function startPace(): void {
  const began = performance.now();
  paced = 0;
  pacing = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / pace) * held.length);
    for (; paced < due; paced += 1) held[paced % held.length]?.write(stampedWord());
  }, paceTick);
}

function finishHeld(): void {
  clearInterval(pacing);
  for (const socket of held) socket.write(answers.held.ending);
  held = [];
  trickling = false;
}

const server = createServer(serve);
server.listen({ port: Number(process.env.UPSTREAM_PORT ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP listener');
  process.send?.({ port: address.port } satisfies UpstreamReady);
});
setInterval(trickle, trickleTick);
process.on('message', (order: UpstreamOrder) => {
  if ('script' in order) script = order.script;
  else if ('trickle' in order) trickling = true;
  else if ('pace' in order) startPace();
  else finishHeld();
  process.send?.(true);
});
process.on('disconnect', () => process.exit(0));
