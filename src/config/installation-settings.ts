import { positiveDurationField, section, sizeField } from '../schema/fields.ts';
import { anyObject, flag, integer, list, map, Type, text, word } from '../util/json-schema.ts';

/** `presets`: named settings that every workspace has unless it has one of the slug itself. */
export const presetsSettings = map(
  Type.Object(
    {
      system_prompt: Type.Optional(text({ minLength: 1, description: 'What the model is told first' })),
      config: anyObject(),
    },
    section('A preset'),
  ),
  {
    propertyNames: text({ pattern: '^[a-z0-9][a-z0-9._-]*$' }),
    default: {},
    description: 'Named settings for requests, by slug; config has members of a body of POST /responses',
  },
);

/** `observability`: what is kept of requests beside the records of calls. */
export const observabilitySettings = Type.Object(
  {
    refusals: flag({
      default: true,
      description: 'Whether requests that limits, guardrails or routing turn away are kept',
    }),
    plans: word(['off', 'failures', 'all'], {
      default: 'off',
      description:
        'Which calls keep the plan of their endpoints: none, those that failed, fell back or were turned away, or all',
    }),
    keep: positiveDurationField('How long both are kept', '168h'),
    destinations: Type.Object(
      {
        enabled: flag({
          default: true,
          description: 'Whether workspaces may have their traces sent to destinations of their own',
        }),
        private_hosts: list(text({ minLength: 1 }), {
          default: [],
          description:
            'Hosts or networks with a port that destinations may be at although they are not on the public internet, such as collector.corp:4318; also without TLS',
        }),
        per_type: integer({
          minimum: 1,
          maximum: 100,
          default: 5,
          description: 'Destinations of one type that a workspace may have',
        }),
        queue: integer({
          minimum: 1,
          maximum: 100_000,
          default: 1_000,
          description: 'Requests that may wait for one destination',
        }),
        queue_bytes: sizeField('8MiB', 'Bytes that may wait for one destination'),
        total_bytes: sizeField('64MiB', 'Bytes that may wait for all destinations of a process'),
        retries: integer({
          minimum: 0,
          maximum: 10,
          default: 3,
          description: 'Further tries of a batch that was not taken',
        }),
      },
      section('Destinations of traces'),
    ),
  },
  section('What is kept of requests beside the records of calls'),
);

/** `content_logging`: what is kept of what was said. */
export const contentLoggingSettings = Type.Object(
  {
    enabled: flag({
      default: false,
      description:
        'Whether what is said may be kept, for accounts, workspaces and keys that want that; without it nothing is',
    }),
    keep_days: integer({
      minimum: 1,
      maximum: 3_650,
      default: 90,
      description: 'Days for which it is kept; what is stored keeps the days it was stored with',
    }),
    queue: sizeField('32MiB', 'Bytes that may wait to be stored; what finds no room is dropped and counted'),
  },
  section('What is kept of what was said'),
);

/** `location`: where an installation stands, and where data may be processed. */
export const locationSchema = Type.Object(
  {
    region: Type.Optional(
      text({ minLength: 1, description: 'Name of this place, as routing metadata shows it' }),
    ),
    country: Type.Optional(
      text({
        pattern: '^[A-Z][A-Z]$',
        description: 'Two letters of ISO 3166, such as DE; providers may refuse it',
      }),
    ),
    data_regions: Type.Optional(
      list(text({ minLength: 1 }), {
        minItems: 1,
        description: 'Where data may be processed; left out: anywhere',
      }),
    ),
  },
  section('Where this installation stands'),
);

/** `server.dashboard`: the web dashboard. */
export const dashboardSettings = Type.Object(
  {
    enabled: flag({
      default: true,
      description: 'Whether browsers can log in, and call the interface below /ui',
    }),
    port: Type.Optional(
      integer({
        minimum: 1,
        maximum: 65535,
        description: 'Serves the dashboard there and only there; left out: beside the interface',
      }),
    ),
    read_only: flag({
      default: false,
      description: 'Whether the dashboard refuses all that changes or costs something',
    }),
    allow_insecure_http: flag({
      default: false,
      description: 'Whether somebody may log in over plain HTTP from another machine',
    }),
    operator_accounts: list(text({ minLength: 1 }), {
      default: [],
      description:
        'Accounts whose management keys may see the whole installation; empty is the account of the first start',
    }),
    session: Type.Object(
      {
        idle: positiveDurationField('Without use, of a management key', '2h'),
        max: positiveDurationField('In all, of a management key', '24h'),
        key_idle: positiveDurationField('Without use, of an inference key', '12h'),
        key_max: positiveDurationField('In all, of an inference key', '168h'),
      },
      section('How long a login lasts'),
    ),
  },
  section('The web dashboard'),
);

/** `compat`: help for clients written for another service. */
export const compatSettings = Type.Object(
  {
    aliases: list(text({ pattern: '^[a-z][a-z0-9-]*$', description: 'a lowercase word' }), {
      default: [],
      description: 'Other spellings of the service prefix in requests',
    }),
    claude_ids: flag({
      default: true,
      description:
        'Whether models are also listed as claude-via/<slug> for clients of the Messages format, some of which show only names with "claude"',
    }),
    close_streams: flag({
      default: false,
      description:
        'Whether the connection ends with each event stream, for clients that read until then and take no notice of the last event',
    }),
    echo_model: flag({
      default: false,
      description: 'Whether answers of the Messages format name the model as the request did',
    }),
    model_aliases: map(text({ minLength: 1 }), {
      default: {},
      description:
        'Slugs by the names that clients send, for names that are no slugs; one "*" stands for any characters',
    }),
    byok_created_status: integer({
      minimum: 200,
      maximum: 201,
      default: 200,
      description: 'Status of a successful POST /byok; some clients accept only 201',
    }),
    unavailable_tools: word(['refuse', 'drop'], {
      default: 'refuse',
      description:
        'What happens to hosted tools that no endpoint of the model has and the gateway cannot run: the request is ' +
        'refused, or sent without them and X-Service-Left-Out names them',
    }),
  },
  section('Help for clients written for another service'),
);
