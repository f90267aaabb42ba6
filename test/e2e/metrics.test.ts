import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricFamilies } from '../../src/metrics/metric-families.ts';
import { freePort } from '../support/free-port.ts';
import { startGateway } from './support/gateway-process.ts';
import { runPython } from './support/python.ts';

interface StatisticsEvent {
  readonly families: readonly string[];
  readonly values: Readonly<Record<string, number>>;
}

test('a Prometheus client library reads the metrics, on the public listener and on one of their own', async () => {
  const metricsPort = await freePort();
  for (const config of ['', `server: { metrics_port: ${metricsPort} }\n`]) {
    await using gateway = await startGateway({ config });
    for (const stream of [true, false]) {
      await (await gateway.post({ model: 'sandbox/echo', input: 'one two', stream })).text();
    }
    await (await gateway.post({ model: 'sandbox/flaky', input: '500' })).text();
    await (await gateway.post({ model: 'no such "model"\n' })).text();
    const url = config === '' ? gateway.url : `http://127.0.0.1:${metricsPort}`;
    const { code, stdout, stderr } = await runPython('test/e2e/python/metrics.py', {
      HEADGATE_METRICS_URL: `${url}/metrics`,
    });
    assert.equal(code, 0, stderr);
    const { families, values } = JSON.parse(stdout) as StatisticsEvent;
    assert.deepEqual(
      families,
      metricFamilies.map(({ name, type }) => (type === 'counter' ? name.replace(/_total$/, '') : name)),
    );
    assert.equal(values['headgate_requests_total{error_type=none,status=200}'], 2);
    assert.equal(values['headgate_requests_total{error_type=provider_unavailable,status=502}'], 1);
    assert.equal(values['headgate_requests_total{error_type=invalid_request,status=400}'], 1);
    assert.equal(values['headgate_upstream_attempts_total{outcome=success,provider=sandbox}'], 2);
    assert.equal(values['headgate_dependency_state{dependency=journal,state=ok}'], 1);
  }
});
