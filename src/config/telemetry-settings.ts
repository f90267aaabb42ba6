import { httpUrlField, positiveDurationField, section } from '../schema/fields.ts';
import { units, withUnit } from '../schema/units.ts';
import { byType, flag, integer, list, map, marked, number, Type, text, word } from '../util/json-schema.ts';

/** `telemetry`: traces and metrics for the operator's own collector (docs/spec/telemetry.md). */
export const telemetrySettings = Type.Object(
  {
    endpoint: Type.Optional(
      httpUrlField(
        'Where a collector takes OTLP over HTTP, such as http://localhost:4318; left out: nothing is sent or recorded',
      ),
    ),
    protocol: word(['http/protobuf', 'http/json'], {
      default: 'http/protobuf',
      description: 'How it is written',
    }),
    headers: marked(map(text(), { default: {}, description: 'Sent with every export' }), { secret: true }),
    conventions: word(['latest', '1.41'], {
      default: 'latest',
      description: 'Which names the attributes of model calls have: those of today, or of release 1.41',
    }),
    trust_incoming: {
      ...byType(flag(), list(withUnit(units.network, text()), { minItems: 1 })),
      default: true,
      description:
        'Whose traceparent makes a request part of the trace of its sender: that of everyone, of nobody, or of addresses and networks; another becomes a link',
    },
    sampling: Type.Object(
      {
        ratio: number({
          minimum: 0,
          maximum: 1,
          default: 1,
          description: 'Fraction of traces that are exported',
        }),
        follow_parent: flag({
          default: true,
          description: 'Whether a sender that is trusted decides for its own trace',
        }),
        forced_per_second: integer({
          minimum: 0,
          maximum: 1_000_000,
          default: 50,
          description: 'Requests a second that are exported only because their sender says so',
        }),
        always_on_error: flag({
          default: true,
          description:
            'Whether requests that failed by fault of a provider or of this server are exported in any case',
        }),
      },
      section('Which requests are exported'),
    ),
    traces: flag({ default: true, description: 'Whether traces are sent' }),
    metrics: Type.Object(
      {
        enabled: flag({ default: true, description: 'Whether the metrics of /metrics are sent too' }),
        interval: positiveDurationField('Between two exports', '60s'),
        temporality: word(['cumulative', 'delta'], {
          default: 'cumulative',
          description: 'Whether counters are sent as totals, or as what came since the last export',
        }),
      },
      section('Metrics'),
    ),
    resource: map(text(), {
      default: {},
      description: 'Attributes of this installation, such as deployment.environment.name',
    }),
  },
  section('Traces and metrics for a collector of OpenTelemetry'),
);
