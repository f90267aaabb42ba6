import {
  anyObject,
  choice,
  flag,
  integer,
  list,
  map,
  named,
  number,
  orNull,
  Type,
  text,
} from '../../util/json-schema.ts';
import { answerOf } from './parts.ts';

const Figures = Type.Object({
  node: text(),
  state: choice('starting', 'ready', 'draining', 'memory', 'event_loop'),
  dependencies: map(text(), { description: 'The states of database, journal and shared_state' }),
  running: integer({ description: 'Requests' }),
  streams: integer({ description: 'Those of them whose answer is a stream' }),
  waiting_charges: integer({ description: 'Durable on the disk of the process, not in the database yet' }),
  database_ms: orNull(number({ description: 'How long its last report took to be stored' })),
  resident_bytes: integer(),
  heap_used_bytes: integer(),
  heap_limit_bytes: integer(),
  cpu: number({ description: 'Of one processor core, over the last seconds' }),
  event_loop_busy: number({ description: 'Share of the last seconds in which the main thread had work' }),
  event_loop_delay_ms: orNull(
    number({ description: 'How late 99 of 100 timers were at most, to the bound of a bucket' }),
  ),
});

/** The processes of an installation. */
export const ProcessList = named(
  'ProcessList',
  Type.Object({
    as_of: text(),
    data: list(
      named(
        'Process',
        Type.Object({
          id: text(),
          host: text(),
          pid: integer(),
          version: text(),
          started_at: text(),
          seen_at: text(),
          is_own: flag({ description: 'Whether it answered this call' }),
          is_lost: flag({ description: 'Whether it reports nothing any more' }),
          figures: orNull(Figures),
        }),
      ),
    ),
  }),
);

/** What operators should look at. */
export const RiskList = named(
  'RiskList',
  Type.Object({
    data: list(
      named(
        'Risk',
        Type.Object({
          level: choice('problem', 'warning', 'note'),
          about: choice('processes', 'configuration', 'models', 'providers', 'alerts'),
          text: text(),
        }),
      ),
    ),
  }),
);

/** The alerts of the last days. */
export const AlertList = named(
  'AlertList',
  Type.Object({
    enabled: flag({ description: 'Whether alerts are raised at all (alerts.webhook)' }),
    data: list(
      named(
        'Alert',
        Type.Object({
          id: text(),
          type: text(),
          raised_at: text(),
          state: choice('delivered', 'waiting', 'repeating', 'given_up'),
          attempts: integer(),
          delivered_at: orNull(text()),
          data: anyObject(),
        }),
      ),
    ),
  }),
);

/** The configuration in use. */
export const Configuration = answerOf(
  'Configuration',
  Type.Object({
    file: orNull(text()),
    loaded_at: text(),
    refused: orNull(
      Type.Object(
        { at: text(), reasons: list(text()) },
        { description: 'Why the file as it is now is not in use' },
      ),
    ),
    needs_restart: list(text(), {
      description: 'Sections that were changed in the file and wait for a restart',
    }),
    values: list(
      Type.Object({
        key: text({ description: 'As in the file, with dots' }),
        value: text({ description: 'As text, or as JSON; what is secret is masked' }),
        source: orNull(
          text({
            description: 'File and line, variable or option; null for a default and what follows from others',
          }),
        ),
      }),
    ),
  }),
);
