import type { Endpoint } from '../../core/catalogue.ts';
import type { EndpointStatistics, OutcomeWindow } from '../../ports/endpoint-statistics.ts';
import type { SpeedPercentiles } from '../statistics-snapshot.ts';
import { readPercentiles } from './live-statistics.ts';

/** With fewer attempts an uptime would be random. */
const enough = 20;

/**
 * The published figures of an endpoint (docs/spec/catalogue.md#endpoints): measured values only, never a prior; null
 * means too few data.
 */
export interface PublishedFigures {
  /** Percentage of successful attempts among those that count. */
  readonly uptime_last_5m: number | null;
  readonly uptime_last_30m: number | null;
  readonly uptime_last_1d: number | null;
  /** Milliseconds to the first token. */
  readonly latency_last_30m: SpeedPercentiles | null;
  /** Tokens per second. */
  readonly throughput_last_30m: SpeedPercentiles | null;
}

/** The figures of an endpoint with the shared credential. */
export function publishedFigures(endpoint: Endpoint, statistics: EndpointStatistics): PublishedFigures {
  const outcomes = statistics.outcomes({ endpoint });
  const answers = statistics.answers(endpoint);
  const uptime = (window: OutcomeWindow) => {
    const { attempts, failures } = outcomes?.uptime(window) ?? { attempts: 0, failures: 0 };
    return attempts < enough ? null : ((attempts - failures) / attempts) * 100;
  };
  return {
    uptime_last_5m: uptime('5m'),
    uptime_last_30m: uptime('30m'),
    uptime_last_1d: uptime('1d'),
    latency_last_30m: (answers && readPercentiles(answers, 'latency', '30m')) ?? null,
    throughput_last_30m: (answers && readPercentiles(answers, 'throughput', '30m')) ?? null,
  };
}
