import type { Attack, AttackContext, Counts } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause, post, write } from '../raw-socket.ts';

/** Of an answer: what the context of the model has room for. */
const letters = 400_000;
/** Files that an account may store in a minute, by default. An attack may touch two minutes. */
const filesPerMinute = 120;

/** An upload of three bytes with a name as long as it may be. */
function upload(key: string, number: string): string {
  const name = number.padEnd(250, 'n');
  const body = `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\nabc\r\n--b--\r\n`;
  return (
    `POST /api/v1/files HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

/** Sends requests on one connection, each when the one before it is answered. */
async function converse(context: AttackContext, next: (round: number) => string): Promise<void> {
  const socket = await openSocket(context);
  countAnswers(socket, context.count);
  for (let round = 0; !context.signal.aborted; round += 1) {
    const answered = Promise.withResolvers<string>();
    const onData = (chunk: Buffer) => answered.resolve(chunk.toString('latin1'));
    const onClose = () => answered.resolve('');
    socket.once('data', onData).once('close', onClose);
    if (!(await write(socket, next(round)))) break;
    const text = await Promise.race([answered.promise, pause(context)]);
    socket.off('data', onData).off('close', onClose);
    if (text === '') break;
  }
  socket.destroy();
}

function judgeFiles({ '200': stored = 0, '429': refused = 0 }: Counts): readonly string[] {
  return [
    ...(stored <= 2 * filesPerMinute ? [] : [`${stored} files were stored`]),
    ...(refused > 0 ? [] : ['no file was refused']),
  ];
}

/** Stores large answers under many keys, and asks again for the first of them. */
async function hoard(number: number, context: AttackContext): Promise<void> {
  const { key, seed, count } = context;
  const input = 'word '.repeat(letters / 5);
  const request = (round: number) =>
    post(key, { model: 'sandbox/echo', input }, `idempotency-key: hoard-${seed}-${number}-${round}\r\n`);
  const answers: number[] = [];
  for (let round = 0; !context.signal.aborted; round += 1) {
    // Every fourth asks for one that was answered already.
    const again = round % 4 === 3 ? answers[Math.floor(answers.length / 2)] : undefined;
    const { status, replayed } = await ask(request(again ?? round), context);
    count(status);
    if (again === undefined && status === '200') answers.push(round);
    if (again === undefined || status === '') continue;
    count(replayed ? 'replayed' : status === '200' ? 'charged again' : `retry ${status}`);
  }
}

/** Sends a request and reads its answer to the end. */
async function ask(request: string, context: AttackContext) {
  const socket = await openSocket(context);
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    if (head.length < 2_000) head += chunk.toString('latin1');
  });
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await write(socket, request.replace('host: a\r\n', 'host: a\r\nconnection: close\r\n'));
  await Promise.race([closed, pause(context)]);
  socket.destroy();
  return {
    status: /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? '',
    replayed: /\r\nidempotent-replayed: true/i.test(head),
  };
}

function judgeHoard(counts: Counts): readonly string[] {
  const { 'charged again': again = 0, replayed = 0, 'retry 422': gone = 0 } = counts;
  return [
    ...(again === 0 ? [] : [`${again} requests were answered and charged a second time`]),
    ...(replayed + gone > 0 ? [] : ['no request was repeated']),
  ];
}

/** Things that are stored for little, in number and size. */
export const storedThings: readonly Attack[] = [
  {
    name: 'tiny-files',
    title: '8 connections that store files of three bytes with long names, without credits',
    memory: 250,
    run: (context) =>
      keepDoing(8, context, (number) =>
        converse(context, (round) => upload(context.poorKey, `${number}-${round}-`)),
      ),
    judge: judgeFiles,
  },
  {
    name: 'idempotent-hoard',
    title: '4 connections that store answers of 400 kB under keys of their own and repeat some',
    // 128 MiB is what they may take; the rest is garbage of answers of megabytes.
    memory: 700,
    run: (context) => keepDoing(4, context, (number) => hoard(number, context)),
    judge: judgeHoard,
  },
];
