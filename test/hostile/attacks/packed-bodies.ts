import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Attack, AttackContext, Counts } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, postHead, write } from '../raw-socket.ts';

const clients = 16;
/** Quickly, for the attack lasts only some seconds. */
const packers: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: (body) => gzipSync(body, { level: 1 }),
  deflate: (body) => deflateSync(body, { level: 1 }),
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (body) => zstdCompressSync(body),
};

interface PackedBody {
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** Some kilobytes that become 128 MiB, four times what a body may have. */
const bomb = () => Buffer.alloc(128 * 1024 * 1024, ' ');
/** A prompt of 8 MiB, longer than any context, that is small on its way. */
const longPrompt = () =>
  Buffer.from(
    JSON.stringify({ model: 'sandbox/echo', input: 'lorem '.repeat(1_400_000), max_output_tokens: 1 }),
  );

/** Sends a body in each encoding by turns. It is made here, because other attacks read this file too. */
function sendPacked(body: () => Buffer, context: AttackContext): Promise<void> {
  const plain = body();
  const bodies = Object.entries(packers).map(([encoding, pack]) => ({ encoding, bytes: pack(plain) }));
  return keepDoing(clients, context, (number) => send(bodies[number % bodies.length], context));
}

async function send(body: PackedBody | undefined, context: AttackContext): Promise<void> {
  const { key, signal, count } = context;
  if (body === undefined) return;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  const more = `content-encoding: ${body.encoding}\r\nconnection: close\r\n`;
  await write(socket, postHead(key, body.bytes.length, more));
  await write(socket, body.bytes);
  await closed;
}

/** Each is refused for what it is, or told to come back. */
function refusedWith(right: string): (counts: Counts) => readonly string[] {
  return (counts) => {
    const statuses = Object.keys(counts).filter((name) => /^\d{3}$/.test(name));
    const wrong = statuses.filter((status) => ![right, '429', '503'].includes(status));
    return [
      ...wrong.map((status) => `${counts[status]} were answered ${status}`),
      ...(statuses.includes(right) ? [] : [`none was answered ${right}`]),
    ];
  };
}

/** Small bodies that become large ones. */
export const packedBodies: readonly Attack[] = [
  {
    name: 'packed-bombs',
    title: `${clients} clients whose bodies of kilobytes become 128 MiB, in four encodings`,
    memory: 800,
    sheds: true,
    run: (context) => sendPacked(bomb, context),
    judge: refusedWith('413'),
  },
  {
    name: 'packed-prompts',
    title: `${clients} clients whose compressed prompts of 8 MiB are longer than any context`,
    memory: 1_200,
    sheds: true,
    run: (context) => sendPacked(longPrompt, context),
    judge: refusedWith('400'),
    windDown: 2_000,
  },
];
