import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Attack, AttackContext, Counts, PreparedTarget } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause } from '../raw-socket.ts';

/** Where the operator comes from; attacks come from 127.0.0.1. */
const operatorAddress = '127.0.0.2';
const connections = 150;

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly from?: string;
}

/** Asks the server as a page of the dashboard or a program does. @throws Error when the connection breaks. */
async function ask(port: number, { method = 'GET', path, headers, body, from }: Asked) {
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    localAddress: from,
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(10_000),
  });
  sent.on('error', () => undefined);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, status: response.statusCode ?? 0, leave: () => sent.destroy() };
}

/** The headers of a session that a key logs in to. */
async function logIn(
  port: number,
  key: string,
  from?: string,
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }> {
  const { response, status } = await ask(port, {
    method: 'POST',
    path: '/ui/session',
    body: { key },
    ...(from !== undefined && { from }),
  });
  const text = Buffer.concat(await response.toArray()).toString();
  if (status !== 200) return { status, headers: {} };
  const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { status, headers: { cookie, 'x-headgate-csrf': JSON.parse(text).data.csrf as string } };
}

/** What the operator does again and again while a server is attacked, and what became of it. */
class OperatorWatch {
  readonly #statuses = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param act Returns a status, of which only 200 is right. A connection that breaks is not this watch's concern. */
  begin(pause: number, act: () => Promise<number>): void {
    clearInterval(this.#timer);
    this.#statuses.clear();
    const note = (status: number) => this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#timer = setInterval(() => void act().then(note, () => undefined), pause).unref();
  }

  /** @param what The operator's doing, for messages. */
  faults(what: string): readonly string[] {
    clearInterval(this.#timer);
    const { 200: done = 0, 503: _, ...others } = Object.fromEntries(this.#statuses) as Counts;
    const wrong = Object.entries(others).map(([status, count]) => `${count} times ${status}`);
    return [
      ...(done > 0 ? [] : [`the operator never ${what}`]),
      ...(wrong.length === 0 ? [] : [`the operator ${what} in vain: ${wrong.join(', ')}`]),
    ];
  }
}

const watch = new OperatorWatch();

/** Logs the operator in once and looks again and again whether the session lives. */
async function watchSession({ port, keys }: PreparedTarget): Promise<void> {
  const { headers } = await logIn(port, keys.management, operatorAddress);
  watch.begin(250, async () => {
    const { response, status } = await ask(port, { path: '/ui/session', headers, from: operatorAddress });
    response.resume();
    return status;
  });
}

/** The operator logs in again and again, as rarely as one key may. */
async function watchLogins({ port, keys }: PreparedTarget): Promise<void> {
  watch.begin(2_100, async () => (await logIn(port, keys.management, operatorAddress)).status);
}

/** The operator opens a viewer again and again. */
async function watchViewers({ port, keys }: PreparedTarget): Promise<void> {
  const headers = { authorization: `Bearer ${keys.management}` };
  watch.begin(500, async () => {
    const { status, leave } = await ask(port, { path: '/api/v1/live', headers, from: operatorAddress });
    leave();
    return status;
  });
}

/**
 * Logs in on many connections, again and again. The last bytes of all leave at the same moment, so that no login is decided
 * when the last one is admitted.
 */
async function logInForEver(context: AttackContext, keyOf: () => string): Promise<void> {
  const { count, signal } = context;
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(context)));
  for (const socket of sockets) countAnswers(socket, count);
  await keepDoing(1, context, async () => {
    for (const socket of sockets) {
      const body = JSON.stringify({ key: keyOf() });
      socket.write(`${loginHead}content-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    }
    await pause(context, 250);
    if (signal.aborted) return;
    for (const socket of sockets) socket.write('}');
    await pause(context, 250);
  });
  for (const socket of sockets) socket.destroy();
}

const loginHead =
  'POST /ui/session HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n';

/** Opens viewers that stay, and others that leave before they are answered. */
async function watchForEver(context: AttackContext): Promise<void> {
  const { key, port, signal, count } = context;
  const headers = { authorization: `Bearer ${key}` };
  await keepDoing(60, context, async (number) => {
    if (number % 3 === 0) {
      const sent = request({ host: '127.0.0.1', port, path: '/api/v1/live', agent: false, headers });
      sent.on('error', () => undefined).end();
      await once(sent, 'finish');
      sent.destroy();
      count('left at once');
      return;
    }
    const { response, status, leave } = await ask(port, { path: '/api/v1/live', headers });
    count(String(status));
    response.on('error', () => undefined).resume();
    if (status === 200 && !signal.aborted) await once(signal, 'abort');
    leave();
  });
}

const atMost = (most: number, count: number, what: string) =>
  count <= most ? [] : [`${count} ${what}, more than ${most}`];

/** One key or address that takes what the dashboard has for all. */
export const dashboardPlaces: readonly Attack[] = [
  {
    name: 'login-sessions',
    title: `${connections} connections that log in to the dashboard with one inference key`,
    memory: 150,
    crowdsListener: true,
    prepare: watchSession,
    run: (context) => logInForEver(context, () => context.key),
    judge: ({ '200': done = 0 }) => [
      ...(done > 0 ? [] : ['nobody logged in']),
      // Of two minutes, for a run seldom begins with one.
      ...atMost(60, done, 'logins of one key'),
      ...watch.faults('had a session'),
    ],
  },
  {
    name: 'login-guesses',
    title: `${connections} connections of one address that guess keys at the login of the dashboard`,
    memory: 150,
    crowdsListener: true,
    prepare: watchLogins,
    run: (context) => {
      let number = 0;
      return logInForEver(context, () => {
        number += 1;
        return `guess-${number}`;
      });
    },
    judge: ({ '401': tried = 0 }) => [
      ...(tried > 0 ? [] : ['nothing was guessed']),
      ...atMost(15, tried, 'guesses of one address'),
      ...watch.faults('logged in'),
    ],
  },
  {
    name: 'live-viewers',
    title: '60 viewers of running requests with one inference key, a third of which leave at once',
    memory: 150,
    crowdsListener: true,
    prepare: watchViewers,
    run: watchForEver,
    judge: ({ '200': watched = 0 }) => [
      ...(watched > 0 ? [] : ['nobody watched']),
      ...watch.faults('watched'),
    ],
  },
];
