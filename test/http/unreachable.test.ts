import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { patientTimeouts } from '../support/timeouts.ts';

/* Why a provider cannot be reached: told to the client as a class, to the operator with the cause. */

let gateway: TestGateway;
const closing: (() => void)[] = [];

before(async () => {
  const [refusing, resetting, silent] = [createServer(), createServer(), createServer()];
  resetting.on('connection', (socket) => socket.on('data', () => socket.resetAndDestroy()));
  const portOf = async (server: ReturnType<typeof createServer>) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const refused = await portOf(refusing);
  refusing.close();
  const reset = await portOf(resetting);
  const mute = await portOf(silent);
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  execFileSync('openssl', [...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const secured = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(
    0,
    '127.0.0.1',
  );
  await once(secured, 'listening');
  const { port: tls } = secured.address() as AddressInfo;
  closing.push(...[resetting, silent, secured].map((server) => () => server.close()));
  const at = (slug: string, baseUrl: string, timeouts = patientTimeouts) =>
    modelOf(`acme/${slug}`, [providerOf({ slug, baseUrl, timeouts })]);
  gateway = await startGateway({
    models: [
      at('refused', `http://127.0.0.1:${refused}/v1`),
      at('reset', `http://127.0.0.1:${reset}/v1`),
      at('nowhere', 'http://no-such-host.invalid/v1'),
      at('untrusted', `https://127.0.0.1:${tls}/v1`),
      at('mute', `http://127.0.0.1:${mute}/v1`, { ...patientTimeouts, firstEvent: 200, total: 400 }),
    ],
  });
});

after(async () => {
  await gateway.stop();
  for (const close of closing) close();
});

for (const [slug, code, words] of [
  ['refused', 'connection_refused', 'could not be reached: the connection was refused.'],
  ['reset', 'connection_reset', 'broke: the connection was reset.'],
  ['nowhere', 'dns_failed', 'could not be reached: its name could not be resolved.'],
  ['untrusted', 'certificate_refused', 'could not be reached: its certificate or TLS was not accepted.'],
  ['mute', 'first_event_timeout', 'did not begin to answer within 0.2 s.'],
] as const) {
  test(`${code} is told in the error, the log, the record and the metrics`, async () => {
    const answer = await gateway.post({ model: `acme/${slug}`, input: 'q', stream: true });
    const { error } = (await answer.json()) as {
      error: { message: string; metadata: { provider_code?: string } };
    };
    assert.equal(error.metadata.provider_code, code, JSON.stringify(error));
    assert.ok(error.message.endsWith(words), error.message);
    const line = gateway.log.find((one) => one.includes(`"path":"/api/v1/responses"`) && one.includes(code));
    assert.ok(line !== undefined, gateway.log.slice(-3).join('\n'));
    if (code.startsWith('c') || code === 'dns_failed') assert.match(line, /"cause":"/);
    const metrics = readMetrics(await (await gateway.get('/metrics')).text());
    assert.ok(
      (metrics.get(`headgate_upstream_failures_total{provider="${slug}",reason="${code}"}`) ?? 0) > 0,
    );
    const id = answer.headers.get('x-generation-id');
    const record = (await (await gateway.get(`/api/v1/generation?id=${id}`)).json()) as {
      data?: { provider_responses: readonly { error_code?: string }[] };
    };
    assert.equal(record.data?.provider_responses.at(-1)?.error_code, code, JSON.stringify(record));
  });
}
