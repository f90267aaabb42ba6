/** Prints the metrics of a server that has done nothing, for tools that check how they are named and told. */
import { GatewayMetrics } from '../../src/metrics/gateway-metrics.ts';

const metrics = new GatewayMetrics({
  health: { check: async () => ({ database: 'ok', journal: 'ok', shared_state: 'ok' }) },
  traffic: () => ({ running: 0, streams: 0 }),
  waitingCharges: () => 0,
});
metrics.counters.providers.of('north');
process.stdout.write(await metrics.render());
metrics.close();
