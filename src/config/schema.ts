import { modelSchema, providerSchema } from '../catalogue/catalogue-schema.ts';
import {
  addressField,
  durationField,
  masterKeyField,
  positiveDurationField,
  rateField,
  secretField,
  section,
  sizeField,
  usdField,
} from '../schema/fields.ts';
import { units, withUnit } from '../schema/units.ts';
import { byType, flag, integer, list, map, type Static, Type, text, word } from '../util/json-schema.ts';
import { alertSettings } from './alert-settings.ts';
import { authSettings } from './auth-settings.ts';
import { guardrailSettings } from './guardrail-settings.ts';
import {
  compatSettings,
  contentLoggingSettings,
  dashboardSettings,
  locationSchema,
  observabilitySettings,
  presetsSettings,
} from './installation-settings.ts';
import { limitSettings } from './limit-settings.ts';
import { pluginSettings } from './plugin-settings.ts';
import { routingSchema } from './routing-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import { toolSettings } from './tool-settings.ts';

/** Proxies between a client and this server. */
const mostHops = 64;

const port = { minimum: 0, maximum: 65535 } as const;
const slugPattern = '^[a-z0-9][a-z0-9._-]*$';
// As browsers send it: lowercase, without a path, a slash at the end or the usual port. Another never equals one.
const originPattern =
  '^(\\*|null|(?!https://[^/]*:443$|http://[^/]*:80$)[a-z][a-z0-9+.-]*://[a-z0-9._\\[\\]:-]+)$';
const originForm = '* or an origin as browsers send it, such as https://app.example or http://localhost:3000';

const tlsSchema = Type.Object(
  {
    cert_file: text({
      minLength: 1,
      description: 'PEM file with the certificate and its chain, named from the folder of this file',
    }),
    key_file: text({ minLength: 1, description: 'PEM file with its private key, not encrypted' }),
  },
  {
    additionalProperties: false,
    description: 'Serves HTTPS instead of HTTP; read again when the files change',
  },
);

const serverSchema = Type.Object(
  {
    host: text({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on' }),
    port: integer({ ...port, default: 8484, description: 'Port to listen on; 0 takes any free one' }),
    public_url: Type.Optional(
      withUnit(
        units.publicUrl,
        text({
          description:
            'Where browsers reach the dashboard through a proxy, such as https://ai.example/gateway; the proxy takes the path away',
        }),
      ),
    ),
    base_paths: list(
      text({
        pattern: '^(/[A-Za-z0-9][A-Za-z0-9._~-]*)+$',
        description: 'a path such as /v1, without a slash at its end',
      }),
      {
        minItems: 1,
        default: ['/api/v1', '/v1'],
        description: 'Where the interface is served: /api/v1 and its aliases',
      },
    ),
    body_limit: sizeField('32MiB', 'Largest request body'),
    bodies_limit: sizeField(
      '512MiB',
      'Bodies of all requests that are being answered, together; half of it for one key, three quarters for one account',
    ),
    cors_origins: list(text({ pattern: originPattern, description: originForm }), {
      default: [],
      description: 'Origins browsers may call from; * for all',
    }),
    trust_proxy: {
      ...byType(
        flag(),
        integer({ minimum: 1, maximum: mostHops }),
        list(withUnit(units.network, text()), { minItems: 1 }),
      ),
      default: false,
      description:
        'Whose X-Forwarded headers are believed: addresses and networks of proxies, the number of proxies in front, or true for any',
    },
    drain_timeout: durationField('How long running requests may go on after a stop signal', '30s'),
    request_timeout: positiveDurationField(
      'Of a whole request until its headers are sent; 600s means an hour where a model may think',
      '600s',
    ),
    header_timeout: positiveDurationField(
      'How long the headers of a request may take, and how long its body may bring less than 4 KiB a second',
      '10s',
    ),
    keep_alive: positiveDurationField('Silence after which a stream sends a comment', '10s'),
    send_timeout: positiveDurationField('How long a client may take nothing of what is sent to it', '60s'),
    connections_per_address: Type.Optional(
      integer({
        minimum: 0,
        maximum: 1_000_000,
        description:
          'Open connections of one client address to a process, 0 for any number; left out: 1024 of a public address, ' +
          'any number of a private or local one and of proxies that trust_proxy believes',
      }),
    ),
    metrics_port: Type.Optional(
      integer({ minimum: 1, maximum: 65535, description: 'Serves /metrics there and only there' }),
    ),
    tls: Type.Optional(tlsSchema),
    ca_file: Type.Optional(
      text({
        minLength: 1,
        description: 'Certificates in PEM that are trusted besides those of the runtime',
      }),
    ),
    dashboard: dashboardSettings,
    workers: integer({
      minimum: 1,
      maximum: 1024,
      default: 1,
      description: 'Processes on this machine; more than one need PostgreSQL and Redis',
    }),
  },
  section('The listener and its limits'),
);

/**
 * The one definition of the configuration file: checks, defaults and the editors' JSON Schema
 * (docs/spec/operations.md#configuration).
 */
export const configSchema = Type.Object(
  {
    server: serverSchema,
    data_dir: text({
      minLength: 1,
      default: '.headgate',
      description: 'Where files of the gateway go',
    }),
    database: Type.Object(
      {
        url: addressField(
          units.databaseUrl,
          'sqlite:FILE or postgres://...; default headgate.db in data_dir',
        ),
        auto_migrate: flag({ default: true, description: 'Bring the schema up to date on start' }),
        pool_size: integer({
          minimum: 4,
          maximum: 1000,
          default: 8,
          description: 'Connections a process opens to PostgreSQL at most, besides one for news of changes',
        }),
        retention_days: Type.Optional(
          integer({
            minimum: 7,
            maximum: 36500,
            description: 'Days records of single calls are kept in PostgreSQL; left out: for ever',
          }),
        ),
      },
      section('Where records are kept'),
    ),
    shared_state: Type.Object(
      {
        url: addressField(
          units.redisUrl,
          'redis://..., redis-cluster://... or redis-sentinel://...; left out: in this process',
        ),
        on_failure: word(['reject', 'local'], {
          description: 'What happens to requests while it is away',
          default: 'reject',
        }),
      },
      section('What several processes share'),
    ),
    master_key: masterKeyField('32 bytes in base64; left out: created once in data_dir'),
    log_level: word(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
      description: 'Least severity logged',
      default: 'info',
    }),
    bootstrap: Type.Object(
      {
        management_key: secretField(
          'Used instead of a generated key on the first start; 32 characters at least',
        ),
        api_key: secretField('Used instead of a generated key on the first start; 32 characters at least'),
        billing_mode: word(['prepaid', 'invoice', 'subscription', 'enterprise'], {
          description: 'Of the account created at the first start',
          default: 'invoice',
        }),
      },
      section('What the first start on an empty database uses'),
    ),
    providers: map(providerSchema, {
      propertyNames: text({ pattern: slugPattern }),
      default: {},
      description: 'Who serves models, by slug; built-in ones need only a credential',
    }),
    catalog: word(['builtin', 'none'], { description: 'Models to start from', default: 'builtin' }),
    models: list(modelSchema, { default: [], description: 'Laid over the built-in catalogue by id' }),
    plugins: pluginSettings,
    guardrails: guardrailSettings,
    tools: toolSettings,
    location: locationSchema,
    routing: routingSchema,
    limits: limitSettings,
    byok: Type.Object(
      {
        fee_rate: rateField('Fraction of the list price', 0.05),
        monthly_allowance_usd: usdField(25_000, 'List-price spend of a month that is free of fees'),
        enterprise_monthly_allowance_usd: usdField(200_000, 'The same for enterprise accounts'),
      },
      section("Requests served with an account's own provider credentials"),
    ),
    responses: Type.Object(
      {
        echo_defaults: flag({ default: false, description: 'Echo defaults instead of null' }),
        keep_alive: Type.Optional(
          word(['events', 'comments'], {
            description:
              'What a silent stream says: response.in_progress again, which clients count that measure the time between events, or comments alone; default events',
          }),
        ),
        cached_replay_delay: durationField(
          'Pause between the events of a cached answer that is streamed',
          '0s',
        ),
      },
      section('Shape of answers'),
    ),
    compat: compatSettings,
    alerts: alertSettings,
    observability: observabilitySettings,
    content_logging: contentLoggingSettings,
    telemetry: telemetrySettings,
    auth: authSettings,
    presets: presetsSettings,
  },
  { additionalProperties: false, title: 'Headgate configuration' },
);

/** The file as read: names as in the file, values in their units, defaults filled in. */
export type Settings = Static<typeof configSchema>;
