import { usualRoutingRules as usual } from '../core/routing-rules.ts';
import { readTaskTag, taskTags } from '../core/task-tags.ts';
import { durationField, section } from '../schema/fields.ts';
import { formatDuration } from '../schema/units.ts';
import { flag, integer, list, map, number, type Static, Type, text } from '../util/json-schema.ts';
import { remedyFor } from './nearest.ts';
import type { Reading } from './reading.ts';

const count = (fallback: number, description: string) =>
  integer({ minimum: 1, default: fallback, description });
const share = (fallback: number, description: string) =>
  number({ minimum: 0, maximum: 1, default: fallback, description });
const deviations = (fallback: number, description: string) =>
  number({ minimum: 0, default: fallback, description });
const duration = (fallback: number, description: string) =>
  durationField(description, formatDuration(fallback));

const { health, exacto } = usual;

const healthSchema = Type.Object(
  {
    uptime_requests: count(health.uptimeRequests, 'Fewer requests in 30 minutes say nothing of the uptime'),
    reliable_uptime: share(health.reliableUptime, 'Below it an endpoint comes after more reliable ones'),
    usable_uptime: share(health.usableUptime, 'Below it an endpoint is a last resort'),
    outage_failures: count(health.outageFailures, 'Failures in 30 seconds that make an outage'),
    outage_share: share(health.outageShare, 'The part of the requests of these seconds they must be'),
    rate_limit_wait: duration(health.rateLimitWait, 'How long a 429 without a hint keeps an endpoint back'),
    rate_limit_wait_max: duration(health.rateLimitWaitMax, 'How long any 429 does at most'),
  },
  section('When an endpoint counts as unreliable'),
);

const exactoSchema = Type.Object(
  {
    throughput_requests: count(exacto.throughputRequests, 'Streamed answers in 30 minutes to be compared'),
    throughput_deviations: deviations(
      exacto.throughputDeviations,
      'Standard deviations below the median that flag',
    ),
    tool_call_requests: count(exacto.toolCallRequests, 'Answers with tool calls in 2 hours to be compared'),
    tool_call_deviations: deviations(
      exacto.toolCallDeviations,
      'Standard deviations below the median that flag',
    ),
    benchmark_deviations: deviations(
      exacto.benchmarkDeviations,
      'Standard deviations below the baseline that flag',
    ),
    peers: integer({
      minimum: 2,
      default: exacto.peers,
      description: 'Endpoints it takes to compare',
    }),
  },
  section('When an endpoint counts as worse than its peers'),
);

/** `routing:`, the numbers that docs/spec/routing.md marks as tunable and those it assumes. */
export const routingSchema = Type.Object(
  {
    max_models: integer({
      minimum: 1,
      maximum: 100,
      default: usual.maxModels,
      description: 'Models one request may name',
    }),
    max_attempts: integer({
      minimum: 1,
      maximum: 100,
      default: usual.maxAttempts,
      description: 'Endpoints one request is sent to at most',
    }),
    retry_same: flag({
      default: usual.retrySame,
      description: 'Ask the endpoint that failed for a moment once more when no other is left',
    }),
    sticky_lifetime: duration(
      usual.stickyLifetime,
      'Silence after which a conversation may go to another endpoint',
    ),
    health: healthSchema,
    exacto: exactoSchema,
    auto: Type.Object(
      {
        default_models: list(text({ minLength: 1 }), {
          default: [],
          description:
            'Models service/auto chooses among where it recognises no task, and prefers among equals',
        }),
        priors: map(map(share(0, 'share of the spend, 0 to 1')), {
          default: {},
          description: 'Shares of the spend service/auto begins with, by task and by id of the model',
        }),
        classifier_model: Type.Optional(
          text({
            minLength: 1,
            description: 'A chat or embedding model that recognises tasks; without one rules alone do',
          }),
        ),
        classifier_timeout: duration(
          usual.auto.classifierTimeout,
          'How long it may take until rules decide instead',
        ),
      },
      section('The router service/auto'),
    ),
    bodybuilder: Type.Object(
      {
        model: Type.Optional(text({ minLength: 1, description: 'The model that writes bodies of requests' })),
      },
      section('The router service/bodybuilder; without a model it is not there'),
    ),
    benchmark_scores: Type.Optional(
      text({
        minLength: 1,
        description: 'File of benchmark results of endpoints, one JSON object a line',
      }),
    ),
  },
  section('Numbers that decide where requests go'),
);

type RoutingSettings = Static<typeof routingSchema>;

/** Notes what only two numbers together can tell. */
export function checkRouting(routing: Partial<RoutingSettings> | undefined, reading: Reading): void {
  for (const task of Object.keys(routing?.auto?.priors ?? {})) {
    if (readTaskTag(task) !== undefined) continue;
    reading.problem(`routing.auto.priors.${task}`, {
      problem: `"${task}" is no task that service/auto recognises`,
      allowed: taskTags.join(', '),
      remedy: remedyFor(task, taskTags, 'remove it'),
    });
  }
  const { health } = routing ?? {};
  if (health === undefined) return;
  if (health.usable_uptime > health.reliable_uptime) {
    reading.problem('routing.health.usable_uptime', {
      problem: 'is above reliable_uptime',
      allowed: `a number from 0 to ${health.reliable_uptime}`,
      remedy: 'lower it or raise reliable_uptime',
    });
  }
  if (health.rate_limit_wait > health.rate_limit_wait_max) {
    reading.problem('routing.health.rate_limit_wait', {
      problem: 'is above rate_limit_wait_max',
      allowed: `at most ${formatDuration(health.rate_limit_wait_max)}`,
      remedy: 'lower it or raise rate_limit_wait_max',
    });
  }
}
