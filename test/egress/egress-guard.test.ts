import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { EgressFailure } from '../../src/egress/egress-failure.ts';
import { EgressGuard } from '../../src/egress/egress-guard.ts';

/** Pages of the server that an operator allows, and a canary nobody may reach. */
let pages: TestServer;
let canary: TestServer;

interface TestServer {
  readonly port: number;
  readonly seen: IncomingMessage[];
  close(): void;
}

async function serve(
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(typeof bound === 'object' && bound !== null);
  return {
    port: bound.port,
    seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

before(async () => {
  canary = await serve('127.0.0.1', (_request, response) => response.end('secret'));
  // The same port at another address: what a connection to the checked address meets.
  pages = await serve('127.0.0.2', answerPage, canary.port);
});
after(() => {
  pages.close();
  canary.close();
});

function answerPage({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://pages.example');
  const to = searchParams.get('to');
  if (to !== null) response.writeHead(302, { location: to, 'set-cookie': 'a=b' }).end();
  else if (pathname === '/loop') response.writeHead(302, { location: '/loop' }).end();
  else if (pathname === '/large') response.end(Buffer.alloc(5_000));
  else if (pathname === '/bomb')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(3_000_000)));
  else if (pathname === '/zipped')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
  else if (pathname === '/odd') response.writeHead(200, { 'content-encoding': 'compress' }).end('x');
  else if (pathname === '/silent') return;
  else response.end('page');
}

/** Names of these tests: each has the addresses of the list, and those of the next time it is asked. */
const names: Record<string, readonly (readonly string[])[]> = {
  'pages.example': [['127.0.0.2']],
  'metadata.example': [['169.254.169.254']],
  'mixed.example': [['8.8.8.8', '10.0.0.1']],
  'six.example': [['2606:4700::1111', '::ffff:127.0.0.1']],
  'rebinding.example': [['127.0.0.2'], ['127.0.0.1']],
};

function guardOf({
  allow = [],
  deny = [],
  maxBody = 4_000_000,
}: {
  allow?: string[];
  deny?: string[];
  maxBody?: number;
} = {}) {
  const asked = new Map<string, number>();
  const settings = { allow, deny, maxBody };
  const resolve = async (host: string) => {
    const turns = names[host];
    if (turns === undefined) throw new Error('not found');
    const turn = asked.get(host) ?? 0;
    asked.set(host, turn + 1);
    return turns[Math.min(turn, turns.length - 1)] ?? [];
  };
  return new EgressGuard(() => settings, { resolve, timeouts: { connect: 500, headers: 300, total: 2_000 } });
}

/** What a header can hold. */
const isAscii = (text: string) => /^[ -~]*$/.test(text);
const signal = new AbortController().signal;
const reasonOf = async (guard: EgressGuard, url: string) => {
  try {
    const { status, body } = await guard.send({ url, signal });
    return `${status} ${Buffer.from(body).toString()}`;
  } catch (thrown) {
    assert.ok(thrown instanceof EgressFailure, String(thrown));
    assert.doesNotMatch(thrown.message, /\d+\.\d+\.\d+\.\d+|::/, 'a message tells no address');
    return thrown.reason;
  }
};

/** Addresses on the port of the canary, on usual ports, and in odd spellings. */
const battery = (port: number) =>
  [
    ...[
      '127.0.0.1',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'app.localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
    ],
    ...[
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
    ],
  ].flatMap((host) => [`http://${host}:${port}/`, `http://${host}/`]);

const others = [
  ...[
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
  ],
  ...[
    'http://[fd00:ec2::254]/',
    'http://metadata.example/',
    'http://mixed.example/',
    'https://six.example/',
    'http://100.100.100.200/',
  ],
  ...[
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://nas.home.arpa/',
    'http://intranet/',
    'http://3232235777/',
  ],
  ...[
    'http://[64:ff9b::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://user:pass@pages.example/',
    'http://pages.example:22/',
  ],
  ...[
    'ftp://pages.example/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
    'data:text/plain,a',
    'not a url',
  ],
  ...[
    'http://[fe80::1%25eth0]/',
    `http://pages.example/${'a'.repeat(2048)}`,
    'http://0xa9fea9fe/',
    'http://025177524776/',
  ],
];

test('no address of the battery is reached', async () => {
  const guard = guardOf();
  for (const url of [...battery(canary.port), ...others]) {
    assert.equal(await reasonOf(guard, url), 'refused', url);
  }
  assert.equal(canary.seen.length, 0);
});

test('no redirect of the battery is followed, not even to what the operator allows', async () => {
  const { port } = canary;
  const guard = guardOf({ allow: [`pages.example:${port}`, `127.0.0.0/8:${port}`, `localhost:${port}`] });
  const before = canary.seen.length;
  for (const to of [...battery(port), ...others.filter((url) => url !== 'not a url')].filter(isAscii)) {
    const url = `http://pages.example:${port}/?to=${encodeURIComponent(to)}`;
    if (url.length < 2_000) assert.equal(await reasonOf(guard, url), 'refused', to);
  }
  assert.equal(canary.seen.length, before);
});

test('what the operator allows is reached, by name or network, and only on that port', async () => {
  const { port } = canary;
  assert.equal(
    await reasonOf(guardOf({ allow: [`pages.example:${port}`] }), `http://pages.example:${port}/`),
    '200 page',
  );
  assert.equal(
    await reasonOf(guardOf({ allow: [`127.0.0.0/8:${port}`] }), `http://127.0.0.2:${port}/`),
    '200 page',
  );
  assert.equal(
    await reasonOf(guardOf({ allow: [`127.0.0.0/8:${port}`] }), `http://pages.example:${port}/`),
    '200 page',
  );
  assert.equal(
    await reasonOf(guardOf({ allow: ['pages.example:81'] }), `http://pages.example:${port}/`),
    'refused',
  );
});

test('what the operator denies wins', async () => {
  const allow = [`pages.example:${canary.port}`];
  for (const deny of [['127.0.0.2'], ['127.0.0.0/8'], ['pages.example'], ['example']]) {
    assert.equal(await reasonOf(guardOf({ allow, deny }), `http://pages.example:${canary.port}/`), 'refused');
  }
});

test('a name that changes its address leads to the one that was checked', async () => {
  const guard = guardOf({ allow: [`rebinding.example:${canary.port}`] });
  const before = canary.seen.length;
  assert.equal(await reasonOf(guard, `http://rebinding.example:${canary.port}/`), '200 page');
  assert.equal(pages.seen.at(-1)?.headers.host, `rebinding.example:${canary.port}`);
  assert.equal(canary.seen.length, before);
});

test('time, redirects, bytes and expansion have bounds', async () => {
  const { port } = canary;
  const guard = guardOf({ allow: [`pages.example:${port}`], maxBody: 4_000 });
  const at = (path: string) => reasonOf(guard, `http://pages.example:${port}${path}`);
  assert.equal(await at('/zipped'), '200 packed');
  assert.equal(await at('/large'), 'too_large');
  assert.equal(await at('/odd'), 'unsupported');
  assert.equal(await at('/silent'), 'timeout');
  const roomy = guardOf({ allow: [`pages.example:${port}`], maxBody: 4_000_000 });
  assert.equal(await reasonOf(roomy, `http://pages.example:${port}/bomb`), 'too_large');
  assert.equal(await reasonOf(roomy, 'http://unknown.example/'), 'unreachable');
});

test('a client that leaves ends the request with its own reason', async () => {
  const leave = new AbortController();
  const gone = new Error('gone');
  const url = `http://pages.example:${canary.port}/silent`;
  const running = guardOf({ allow: [`pages.example:${canary.port}`] }).send({ url, signal: leave.signal });
  leave.abort(gone);
  await assert.rejects(running, gone);
});
