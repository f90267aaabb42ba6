import { createServer, type Socket } from 'node:net';

/** What a scripted server answers to a statement: rows, an SQLSTATE it refuses it with, or the end of the connection. */
export type ScriptedAnswer =
  | { readonly rows: readonly Readonly<Record<string, string | bigint>>[] }
  | { readonly refusal: string }
  | 'gone';

/** A statement as the server received it. */
export interface ReceivedStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A server that speaks the protocol of PostgreSQL and answers each statement as its script says. */
export interface ScriptedPostgres {
  readonly url: string;
  /** Every statement so far, in order. */
  readonly received: readonly ReceivedStatement[];
  close(): Promise<void>;
}

const textType = 25;
const bigintType = 20;

/** Starts one on a free port of this machine. @param answer Decides each answer; `undefined` means no rows. */
export async function startScriptedPostgres(
  answer: (statement: ReceivedStatement) => ScriptedAnswer | undefined,
): Promise<ScriptedPostgres> {
  const received: ReceivedStatement[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    serve(socket, (statement) => {
      received.push(statement);
      return answer(statement) ?? { rows: [] };
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `postgres://somebody:secret@127.0.0.1:${address.port}/scripted`,
    received,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Splits what arrives into messages: first the startup, which has no type, then those with one. */
function serve(socket: Socket, answer: (statement: ReceivedStatement) => ScriptedAnswer): void {
  const session = new Session(socket, answer);
  let buffered: Buffer = Buffer.alloc(0);
  let head = 0;
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.length >= head + 4 && buffered.length >= head + buffered.readInt32BE(head)) {
      const end = head + buffered.readInt32BE(head);
      session.take(buffered.toString('latin1', 0, head), buffered.subarray(head + 4, end));
      buffered = buffered.subarray(end);
      head = 1;
    }
  });
}

/** One connection. */
class Session {
  readonly #socket: Socket;
  readonly #answer: (statement: ReceivedStatement) => ScriptedAnswer;
  #text = '';
  #values: readonly (string | null)[] = [];

  constructor(socket: Socket, answer: (statement: ReceivedStatement) => ScriptedAnswer) {
    this.#socket = socket;
    this.#answer = answer;
  }

  /** @param type The letter of the message; empty for the startup. */
  take(type: string, body: Buffer): void {
    switch (type) {
      case '':
        this.#socket.write(Buffer.concat([authenticated, backendKey, ready]));
        break;
      case 'P':
        this.#text = stringsOf(body)[1] ?? '';
        break;
      case 'B':
        this.#values = boundValues(body);
        break;
      case 'S':
        this.#reply(true);
        break;
      case 'Q':
        this.#text = stringsOf(body)[0] ?? '';
        this.#values = [];
        this.#reply(false);
        break;
      case 'X':
        this.#socket.end();
    }
  }

  #reply(extended: boolean): void {
    const answer = this.#answer({ text: this.#text, values: this.#values });
    if (answer === 'gone') this.#socket.destroy();
    else this.#socket.write(Buffer.concat([...answerMessages(answer, extended), ready]));
  }
}

function answerMessages(answer: Exclude<ScriptedAnswer, 'gone'>, extended: boolean): readonly Buffer[] {
  const begun = extended ? [message('1'), message('2')] : [];
  if ('refusal' in answer) {
    const fields = [`SERROR`, `VERROR`, `C${answer.refusal}`, 'Mrefused by the script', ''];
    return [...begun, message('E', Buffer.from(fields.map((field) => `${field}\0`).join('')))];
  }
  const { rows } = answer;
  const [first] = rows;
  const none = extended ? [message('n')] : [];
  const described = first === undefined ? none : [describeRow(first)];
  const done = message('C', Buffer.from(`SELECT ${rows.length}\0`));
  return [...begun, ...described, ...rows.map(dataRow), done];
}

function describeRow(row: Readonly<Record<string, string | bigint>>): Buffer {
  const columns = Object.entries(row).map(([name, value]) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(typeof value === 'bigint' ? bigintType : textType),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  return message('T', Buffer.concat([int16(columns.length), ...columns]));
}

function dataRow(row: Readonly<Record<string, string | bigint>>): Buffer {
  const values = Object.values(row).map((value) => Buffer.from(String(value)));
  return message(
    'D',
    Buffer.concat([int16(values.length), ...values.flatMap((value) => [int32(value.length), value])]),
  );
}

/** The parameters of a Bind message: portal, statement, formats, then the values. */
function boundValues(body: Buffer): readonly (string | null)[] {
  let at = body.indexOf(0) + 1;
  at = body.indexOf(0, at) + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : body.toString('utf8', at - length, at);
  });
}

function stringsOf(body: Buffer): readonly string[] {
  return body.toString('utf8').split('\0');
}

function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const authenticated = message('R', int32(0));
const backendKey = message('K', Buffer.concat([int32(1), int32(1)]));
const ready = message('Z', Buffer.from('I'));
