/** Prints the metrics of an unused server, for tools that check their names and descriptions. */
import { GatewayMetrics } from '../../src/metrics/gateway-metrics.ts';

const metrics = new GatewayMetrics({
  health: { check: async () => ({ database: 'ok', journal: 'ok', shared_state: 'ok' }) },
  traffic: () => ({ running: 0, streams: 0 }),
  waitingCharges: () => 0,
});
metrics.counters.providers.of('north');
process.stdout.write(await metrics.render());
metrics.close();
