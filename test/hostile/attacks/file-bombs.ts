import { once } from 'node:events';
import { deflateSync } from 'node:zlib';
import { onePage, streamOf } from '../../support/made-pdf.ts';
import type { Attack, AttackContext, Counts } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, post, write } from '../raw-socket.ts';

const MiB = 1024 * 1024;

/** Requests whose PDFs expand to a thousand times of their size, and which go on drawing text. */
function bodies(key: string): readonly string[] {
  const blank = deflateSync(Buffer.alloc(300 * MiB, ' '), { level: 1 });
  const words = deflateSync(`BT /F1 1 Tf ${'(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj '.repeat(800_000)} ET`, {
    level: 1,
  });
  const bombs = [
    onePage(streamOf(blank, '/FlateDecode')),
    onePage(streamOf(deflateSync(blank), '[/FlateDecode /FlateDecode]')),
    onePage(streamOf(words, '/FlateDecode')),
  ];
  return bombs.map((bytes) => {
    const file = { type: 'input_file', filename: 'bomb.pdf', file_data: bytes.toString('base64') };
    return post(key, { model: 'calm/calm', input: [{ role: 'user', content: [file] }] });
  });
}

/** Milliseconds in which a slow machine too refuses a bomb that came first. */
const patience = 60_000;

/** @param signal Ends the wait for the answer. */
async function send(request: string, context: AttackContext, signal: AbortSignal): Promise<void> {
  const socket = await openSocket(context);
  countAnswers(socket, context.count);
  const ended = once(socket, 'data', { signal }).catch(() => undefined);
  await write(socket, request);
  await ended;
  socket.destroy();
}

function judge(counts: Counts): readonly string[] {
  return (counts['400'] ?? 0) > 0 ? [] : ['no bomb was refused'];
}

/** PDFs that take time and memory to read. */
export const fileBombs: readonly Attack[] = [
  {
    name: 'file-bombs',
    title: '8 connections that send PDFs which expand a thousand times or never end',
    memory: 1_200,
    windDown: 70_000,
    patience,
    async run(context) {
      const requests = bodies(context.key);
      // One client waits for its answer however short the attack is: whether bombs are refused is no matter of speed.
      const first = AbortSignal.timeout(patience);
      await keepDoing(8, context, (number) =>
        send(requests[number % requests.length] ?? '', context, number === 0 ? first : context.signal),
      );
    },
    judge,
  },
];
