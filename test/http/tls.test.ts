import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { readTlsIdentity } from '../../src/util/tls-identity.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { runIn } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const models = [modelOf('acme/echo', [providerOf({ slug: 'north', adapter: 'sandbox' })])];

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate for localhost that signs itself. */
function makeFiles(folder: string, name: string): Files {
  const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const out = ['-keyout', files.keyFile, '-out', files.certFile];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...out], { stdio: 'ignore' });
  return files;
}

function ask(url: string, ca: Buffer, key: string, body?: object) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const asked = request(
      url,
      { ca, agent: false, method: body ? 'POST' : 'GET', headers },
      async (response) => resolve({ status: response.statusCode, body: await text(response) }),
    );
    asked.once('error', reject).end(body && JSON.stringify(body));
  });
}

async function servedName(url: string): Promise<unknown> {
  const socket = connectTls({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

test('a listener with TLS answers as one without, and takes new files over while it runs', async () => {
  const folder = temporaryFolder();
  const files = makeFiles(folder, 'first');
  const gateway = await startGateway({
    models,
    server: { tls: files, connectionsPerAddress: 5, headerTimeout: 1_000 },
  });
  try {
    assert.match(gateway.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const ca = readFileSync(files.certFile);
    const body = { model: 'acme/echo', input: 'Good day', stream: true };
    // More than may be open at once: each one that closes is counted down.
    for (let index = 0; index < 12; index += 1) {
      const { status, body: stream } = await ask(`${gateway.url}/api/v1/responses`, ca, gateway.key, body);
      assert.equal(status, 200);
      assert.match(stream, /response\.completed/);
    }
    const refused = await ask(`${gateway.url}/nowhere`, ca, gateway.key);
    assert.equal(refused.status, 404);

    const second = makeFiles(folder, 'second');
    assert.equal(await servedName(gateway.url), 'first');
    // The certificate alone does not fit the key: the old pair stays.
    writeFileSync(files.certFile, readFileSync(second.certFile));
    const logged = (words: string) => gateway.log.some((line) => line.includes(words));
    await eventually('the refusal', () => logged('the old ones stay in use'));
    assert.equal(await servedName(gateway.url), 'first');
    writeFileSync(files.keyFile, readFileSync(second.keyFile));
    await eventually('the new certificate', () => logged('certificate of server.tls was replaced'));
    assert.equal(await servedName(gateway.url), 'second');
    assert.ok(!gateway.log.some((line) => line.includes('PRIVATE KEY')));
  } finally {
    await gateway.stop();
  }
});

test('a client without TLS, and one that never shakes hands, is cut off', async () => {
  const files = makeFiles(temporaryFolder(), 'first');
  const gateway = await startGateway({ models, server: { tls: files, headerTimeout: 500 } });
  try {
    const port = Number(new URL(gateway.url).port);
    const plain = connect(port, '127.0.0.1');
    plain.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.doesNotMatch(Buffer.concat(await plain.toArray()).toString('latin1'), /HTTP\/1\.1 200/);
    const silent = connect(port, '127.0.0.1');
    silent.on('error', () => undefined);
    const ended = once(silent, 'close').then(() => true);
    silent.resume();
    assert.ok(await Promise.race([ended, sleep(20_000, false, { ref: false })]));
    // A request that is not one is still told so once the hands are shaken.
    const secure = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    secure.write('GARBAGE\r\n\r\n');
    assert.match(await text(secure), /^HTTP\/1\.1 400 /);
  } finally {
    await gateway.stop();
  }
});

test('files that cannot be used stop the start, and are named', async () => {
  const folder = temporaryFolder();
  const first = makeFiles(folder, 'first');
  const second = makeFiles(folder, 'second');
  const missing = join(folder, 'missing');
  const cases: [Files, RegExp][] = [
    [{ ...first, certFile: missing }, /server\.tls\.cert_file: .*missing cannot be read \(ENOENT/],
    [{ ...first, keyFile: folder }, /server\.tls\.key_file: .* cannot be read \(it is not a regular file\)/],
    [{ ...first, certFile: first.keyFile }, /first\.key contains no certificate in PEM/],
    [{ ...first, keyFile: first.certFile }, /first\.crt contains no unencrypted private key in PEM/],
    [{ ...first, keyFile: second.keyFile }, /second\.key does not belong to the certificate in .*first\.crt/],
  ];
  for (const [tls, message] of cases) {
    assert.throws(() => readTlsIdentity(tls), { message });
  }
  const lines = [
    'server: { port: 0, tls: { cert_file: first.crt, key_file: second.key } }',
    'data_dir: data',
  ];
  writeFileSync(join(folder, 'headgate.yaml'), lines.join('\n'));
  const { code, err } = await runIn(folder, ['check']);
  assert.deepEqual([code, /does not belong to the certificate/.test(err)], [1, true], err);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const serve = spawnSync(process.execPath, [main, 'serve'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(serve.status, 1, serve.stderr + serve.stdout);
  assert.match(serve.stderr + serve.stdout, /does not belong to the certificate/);
});
