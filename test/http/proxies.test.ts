import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, request as requestHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { askModels } from '../../src/catalogue/ask-models.ts';
import { EgressGuard } from '../../src/egress/egress-guard.ts';
import { readProxyRules } from '../../src/network/proxy-rules.ts';
import { useNetwork } from '../../src/network/use-network.ts';
import { type OwnProxy, readProxyAddress } from '../../src/util/proxy-address.ts';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { runIn, workplace } from '../support/command-line.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/* docs/spec/operations.md#outgoing-connections, with a real proxy, real TLS, and names that only the proxy knows. */

const folder = temporaryFolder();
const files = (name: string) => ({ key: join(folder, `${name}.key`), cert: join(folder, `${name}.crt`) });
const sockets = new Set<Socket>();
const servers: Server[] = [];
/** What the proxy was asked for, and with which credentials. */
const asked: { readonly line: string; readonly authorization: string | undefined }[] = [];
const lines = () => asked.map(({ line }) => line);
let refuses: number | undefined;
let upstream: FakeUpstream;
let gateway: TestGateway;
let proxyUrl: string;

function certify(name: string, subject: string): void {
  const { key, cert } = files(name);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${subject}`];
  execFileSync('openssl', ['req', '-x509', ...curve, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads every name to one of two ports. */
async function startProxy(plain: number, secure: number): Promise<number> {
  const proxy = createHttp((request, response) => {
    asked.push({ line: `GET ${request.url}`, authorization: request.headers['proxy-authorization'] });
    const { pathname, search } = new URL(request.url ?? '');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = requestHttp(
      { port: plain, method: request.method, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  proxy.on('connect', (request, near: Socket) => {
    asked.push({ line: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] });
    near.on('error', () => {});
    if (refuses !== undefined) return near.end(`HTTP/1.1 ${refuses} No\r\n\r\n`);
    const far = connect(request.url?.endsWith(':80') ? plain : secure, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    sockets.add(far);
  });
  return listen(proxy);
}

before(async () => {
  certify('provider', 'DNS:provider.example,DNS:other.example');
  certify('proxy', 'DNS:localhost');
  upstream = await startFakeUpstream({ steps: chatStream('Good day.'), whole: chatBody('Good day.') });
  const plain = Number(new URL(upstream.url).port);
  const { key, cert } = files('provider');
  const secured = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const onward = requestHttp(
      { port: plain, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  proxyUrl = `http://user:secret-word@127.0.0.1:${await startProxy(plain, await listen(secured))}`;
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, `${readFileSync(cert)}\n${readFileSync(files('proxy').cert)}`);
  const environment = { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, NO_PROXY: 'direct.example' };
  await useNetwork(readProxyRules(environment).rules, caFile);
  const provider = (slug: string, baseUrl: string, proxy?: OwnProxy) =>
    providerOf({ slug, baseUrl, ...(proxy !== undefined && { proxy }) });
  const own = (user: string) => readProxyAddress(proxyUrl.replace('user:', `${user}:`));
  gateway = await startGateway({
    models: [
      modelOf('acme/secure', [provider('secure', 'https://provider.example/v1')]),
      modelOf('acme/plain', [provider('plain', 'http://provider.example/v1')]),
      modelOf('acme/near', [provider('near', `${upstream.url}/v1`)]),
      modelOf('acme/stranger', [provider('stranger', 'https://stranger.example/v1')]),
      modelOf('acme/direct', [provider('direct', 'https://direct.example/v1')]),
      modelOf('acme/first', [provider('first', 'https://provider.example/v1', own('first'))]),
      modelOf('acme/second', [provider('second', 'https://provider.example/v1', own('second'))]),
      modelOf('acme/own', [provider('own', 'https://provider.example/v1', 'none')]),
    ],
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

async function ask(model: string, stream = false) {
  asked.length = 0;
  const answer = await gateway.post({ model, input: 'Hello', stream });
  return { status: answer.status, body: await answer.text(), lines: lines() };
}

test('a provider is reached through the proxy, by CONNECT with TLS behind it, or asked for by its address', async () => {
  const secure = await ask('acme/secure');
  assert.deepEqual([secure.status, secure.lines], [200, ['CONNECT provider.example:443']]);
  const credentials = `Basic ${Buffer.from('user:secret-word').toString('base64')}`;
  assert.equal(asked[0]?.authorization, credentials);
  assert.match((await ask('acme/secure', true)).body, /Good day\./);
  const plain = await ask('acme/plain');
  assert.deepEqual([plain.status, plain.lines], [200, ['GET http://provider.example/v1/chat/completions']]);
  assert.equal(asked[0]?.authorization, credentials);
  assert.equal(upstream.requests.at(-1)?.headers.host, 'provider.example');
  const sent = JSON.stringify(upstream.requests.map(({ headers }) => headers));
  assert.doesNotMatch(sent, /proxy-authorization/, 'which is for the proxy alone');
});

test('this machine, NO_PROXY and `proxy: none` go directly', async () => {
  const near = await ask('acme/near');
  assert.deepEqual([near.status, near.lines], [200, []]);
  for (const model of ['acme/direct', 'acme/own']) {
    const unknown = await ask(model);
    assert.deepEqual([unknown.status, unknown.lines], [502, []], 'nobody here knows the name');
  }
});

test('two providers at one address keep their proxies apart, whose credentials differ', async () => {
  for (const user of ['first', 'second']) {
    assert.equal((await ask(`acme/${user}`)).status, 200);
    const credentials = `Basic ${Buffer.from(`${user}:secret-word`).toString('base64')}`;
    assert.deepEqual(
      asked.map(({ authorization }) => authorization),
      [credentials],
    );
  }
});

test('a proxy that refuses, or is not there, is named as such; its credentials never', async () => {
  refuses = 407;
  try {
    const { status, body } = await ask('acme/stranger');
    assert.equal(status, 502);
    assert.equal(JSON.parse(body).error.metadata.provider_code, 'proxy_failed');
  } finally {
    refuses = undefined;
  }
  const { body } = await ask('acme/stranger');
  assert.equal(JSON.parse(body).error.metadata.provider_code, 'certificate_refused', 'behind the proxy');
  assert.match(gateway.log.join(''), /status 407/);
  assert.doesNotMatch(gateway.log.join(''), /secret-word|c2VjcmV0LXdvcmQ/);
});

test('what else this process asks goes the same way', async () => {
  asked.length = 0;
  const others = await fetch('https://other.example/v1/models');
  assert.equal(others.status, 200);
  assert.deepEqual(lines(), ['CONNECT other.example:443']);
  asked.length = 0;
  await askModels(providerOf({ slug: 'secure', baseUrl: 'https://provider.example/v1' }));
  assert.deepEqual(lines(), ['CONNECT provider.example:443']);
  asked.length = 0;
  const own = { slug: 'own', baseUrl: 'https://provider.example/v1', proxy: 'none' } as const;
  assert.match(JSON.stringify(await askModels(providerOf(own))), /could not be reached/);
  assert.deepEqual(lines(), []);
});

test('addresses that clients and models name ignore the variables, and go by their own proxy to the checked address', async () => {
  const settings = { allow: [], deny: [], maxBody: 1_000_000 };
  const resolve = async () => ['8.8.8.8'];
  const signal = AbortSignal.timeout(20_000);
  asked.length = 0;
  const timeouts = { connect: 500, headers: 2_000, total: 4_000 };
  const near = { ...settings, allow: ['provider.example:443'] };
  const plain = new EgressGuard(() => near, { resolve: async () => ['127.0.0.1'], timeouts });
  await assert.rejects(plain.send({ url: 'https://provider.example/page', signal }));
  assert.deepEqual(lines(), [], 'without a setting of its own');
  const proxy = readProxyAddress(proxyUrl);
  const proxied = new EgressGuard(() => ({ ...settings, proxy }), { resolve });
  const page = await proxied.send({ url: 'https://provider.example/page', signal });
  assert.equal(page.status, 200);
  assert.deepEqual(lines(), ['CONNECT 8.8.8.8:443']);
  await proxied.send({ url: 'http://provider.example/page', signal });
  assert.equal(lines().at(-1), 'CONNECT 8.8.8.8:80');
  const inside = new EgressGuard(() => ({ ...settings, proxy }), { resolve: async () => ['10.0.0.1'] });
  asked.length = 0;
  await assert.rejects(inside.send({ url: 'https://provider.example/page', signal }), /public internet/);
  assert.deepEqual(lines(), [], 'a proxy opens no way to what is refused');
});

test('check names the proxies with the variable or setting, and refuses what it cannot read', async () => {
  const config = `providers:
  north: { adapter: openai-chat, base_url: "https://a.example/v1" }
  south: { adapter: openai-chat, base_url: "https://b.example/v1", proxy: "http://me:hidden-word@own.example:8080" }
  east: { adapter: openai-chat, base_url: "https://c.example/v1", proxy: none }
`;
  const { folder: place } = await workplace(config);
  const environment = { HTTPS_PROXY: 'http://u:env-secret@p.example:3128' };
  const { code, out, err } = await runIn(place, ['check'], { env: environment });
  assert.equal(code, 0, err);
  assert.match(out, /Proxy: north by http:\/\/p\.example:3128 \(HTTPS_PROXY\)\.\n/);
  assert.match(out, /Proxy: south by http:\/\/own\.example:8080 \(providers\.south\.proxy\)\.\n/);
  assert.doesNotMatch(out, /Proxy: east/);
  assert.doesNotMatch(out + err, /hidden-word|env-secret/);
  const broken = await runIn(place, ['check'], { env: { HTTPS_PROXY: 'socks5://u:env-secret@p.example' } });
  assert.notEqual(broken.code, 0);
  assert.match(broken.err, /HTTPS_PROXY/);
  assert.doesNotMatch(broken.out + broken.err, /env-secret/);
  const none = await workplace('server: { ca_file: none.pem }');
  const missing = await runIn(none.folder, ['check'], { env: {} });
  assert.match(missing.err, /server\.ca_file cannot be read: .*none\.pem/);
});
