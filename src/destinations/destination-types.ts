import type { JsonObject } from '../util/json.ts';

/** One member of a destination's `config`. */
export interface ConfigField {
  readonly isRequired?: true;
  /** Shown as `****` and its end. */
  readonly isSecret?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** Whether it is where requests go, or a part of it. */
  readonly isAddress?: true;
  readonly pattern?: RegExp;
}

/** How a body is written. */
export type BodyForm = 'otlp-json' | 'otlp-protobuf' | 'rows' | 'lines';

/** A request without its body. */
export interface DestinationRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
}

/** One kind of destination. */
export interface DestinationType {
  readonly fields: Readonly<Record<string, ConfigField>>;
  readonly form: BodyForm;
  /** Whether attributes have the names of release 1.41 whatever the operator's collector gets. */
  readonly isVendor: boolean;
  /** Where to send to. @param config Checked, with defaults. */
  readonly request: (config: ConfigTexts) => DestinationRequest;
  /** Attributes of the resource that say where traces belong. */
  readonly resource?: (config: ConfigTexts) => Readonly<Record<string, string>>;
  /** The vendor's own names of attributes, by the usual ones. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** A status beside 2xx that shows in a test that the address is right. */
  readonly testStatus?: number;
}

/** Words in braces that a path of objects may hold. */
export const pathWords = ['prefix', 'date', 'hour'] as const;

/** Members of a `config` that are texts. */
export type ConfigTexts = Readonly<Record<string, string>>;

const required = { isRequired: true } as const;
const secret = { isRequired: true, isSecret: true } as const;
const address = (usual?: string): ConfigField =>
  usual === undefined ? { ...required, isAddress: true } : { default: usual, isAddress: true };

const tracesPath = '/v1/traces';

/** An address with a path, which is not repeated where it is there. */
function below(base: string, path: string): string {
  const whole = base.replace(/\/+$/, '');
  return whole.endsWith(path) ? whole : whole + path;
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A backend that takes OTLP. @param at The member with its address. @param path Behind that. */
function otlp(
  fields: DestinationType['fields'],
  { at, path }: { readonly at: string; readonly path: string },
  headers: (config: ConfigTexts) => Readonly<Record<string, string>>,
  more: Partial<Pick<DestinationType, 'form' | 'resource' | 'aliases' | 'isVendor' | 'testStatus'>> = {},
): DestinationType {
  return {
    form: 'otlp-json',
    isVendor: true,
    ...more,
    fields,
    request: (config) => ({
      url: below(config[at] ?? '', path),
      method: 'POST',
      headers: headers(config),
    }),
  };
}

const none = () => ({});
const bearer = ({ apiKey = '' }: ConfigTexts) => ({ authorization: `Bearer ${apiKey}` });

/** Where licences of a region are good for. */
const newRelicHosts: Readonly<Record<string, string>> = {
  us: 'https://otlp.nr-data.net',
  eu: 'https://otlp.eu01.nr-data.net',
};

const opikAddress = 'https://www.comet.com/opik/api/v1/private/otel/v1/traces';

/** The key of a Sentry project, as its DSN says it. */
function sentryKey(dsn: string): string {
  return /^https:\/\/([^:@]+)/.exec(dsn)?.[1] ?? '';
}

/** Names by which Langfuse shows a trace, a session, a user, and what was said. */
const langfuseNames = {
  'headgate.trace_name': 'langfuse.trace.name',
  'session.id': 'langfuse.session.id',
  'user.id': 'langfuse.user.id',
  'gen_ai.input.messages': 'langfuse.observation.input',
  'gen_ai.output.messages': 'langfuse.observation.output',
  'gen_ai.response.model': 'langfuse.observation.model.name',
  'headgate.cost_usd': 'gen_ai.usage.cost',
};

/**
 * Every kind of destination, as data (docs/spec/destinations.md#types). Paths and names of headers are what vendors document;
 * none could be asked.
 */
export const destinationTypes: Readonly<Record<string, DestinationType>> = {
  'otel-collector': otlp({ endpoint: address() }, { at: 'endpoint', path: tracesPath }, none, {
    isVendor: false,
  }),
  webhook: {
    fields: {
      url: address(),
      method: { default: 'POST', choices: ['POST', 'PUT'] },
      signingSecret: { isSecret: true },
    },
    form: 'otlp-json',
    isVendor: false,
    testStatus: 400,
    request: ({ url = '', method }) => ({ url, method: method === 'PUT' ? 'PUT' : 'POST', headers: {} }),
  },
  langfuse: otlp(
    { secretKey: secret, publicKey: required, baseUrl: address('https://us.cloud.langfuse.com') },
    { at: 'baseUrl', path: '/api/public/otel/v1/traces' },
    ({ publicKey = '', secretKey = '' }) => ({ authorization: basic(publicKey, secretKey) }),
    { aliases: langfuseNames },
  ),
  clickhouse: {
    fields: {
      host: address(),
      database: { ...required, pattern: /^[A-Za-z_][A-Za-z0-9_]*$/ },
      username: required,
      password: secret,
      table: { default: 'SERVICE_TRACES', pattern: /^[A-Za-z_][A-Za-z0-9_]*$/ },
    },
    form: 'rows',
    isVendor: true,
    request: ({ host = '', database = '', username = '', password = '', table = '' }) => {
      const insert = `INSERT INTO ${database}.${table} FORMAT JSONEachRow`;
      const settings = new URLSearchParams({
        query: insert,
        async_insert: '1',
        wait_for_async_insert: '1',
        input_format_skip_unknown_fields: '1',
        date_time_input_format: 'best_effort',
      });
      return {
        url: `${host.replace(/\/+$/, '')}/?${settings}`,
        method: 'POST',
        headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
      };
    },
  },
  s3: {
    fields: {
      bucketName: { ...required, pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/ },
      accessKeyId: secret,
      secretAccessKey: secret,
      sessionToken: { isSecret: true },
      endpoint: { isAddress: true },
      region: { default: 'us-east-1', pattern: /^[a-z0-9-]+$/ },
      prefix: { default: 'service-traces', pattern: /^[\w./-]+$/ },
      pathTemplate: { default: '{prefix}/{date}', pattern: /^[\w./{}-]+$/ },
    },
    form: 'lines',
    isVendor: true,
    // By path, as every server that speaks it takes it.
    request: ({ bucketName = '', region = '', endpoint }) => {
      const host = endpoint ?? `https://s3.${region}.amazonaws.com`;
      return { url: `${host.replace(/\/+$/, '')}/${bucketName}`, method: 'PUT', headers: {} };
    },
  },
  braintrust: otlp(
    { apiKey: secret, projectId: required, baseUrl: address('https://api.braintrust.dev') },
    { at: 'baseUrl', path: '/otel/v1/traces' },
    (config) => ({ ...bearer(config), 'x-bt-parent': `project_id:${config.projectId ?? ''}` }),
  ),
  langsmith: otlp(
    {
      apiKey: secret,
      endpoint: address('https://api.smith.langchain.com'),
      project: { default: 'main' },
      workspaceId: {},
    },
    { at: 'endpoint', path: '/otel/v1/traces' },
    ({ apiKey = '', project = '', workspaceId }) => ({
      'x-api-key': apiKey,
      'langsmith-project': project,
      ...(workspaceId !== undefined && { 'x-tenant-id': workspaceId }),
    }),
  ),
  datadog: otlp(
    { apiKey: secret, mlApp: required, url: address('https://api.us5.datadoghq.com') },
    { at: 'url', path: '/v1/traces' },
    ({ apiKey = '' }) => ({ 'dd-api-key': apiKey, 'dd-otlp-source': 'llmobs' }),
    {
      form: 'otlp-protobuf',
      resource: ({ mlApp = '' }) => ({ 'service.name': mlApp, 'dd.llmobs.ml_app': mlApp }),
    },
  ),
  weave: otlp(
    { apiKey: secret, entity: required, project: required, baseUrl: address('https://trace.wandb.ai') },
    { at: 'baseUrl', path: '/otel/v1/traces' },
    ({ apiKey = '', entity = '', project = '' }) => ({
      'wandb-api-key': apiKey,
      project_id: `${entity}/${project}`,
    }),
    {
      form: 'otlp-protobuf',
      resource: ({ entity = '', project = '' }) => ({ 'wandb.entity': entity, 'wandb.project': project }),
    },
  ),
  arize: otlp(
    { apiKey: secret, spaceKey: secret, modelId: required, baseUrl: address('https://otlp.arize.com') },
    { at: 'baseUrl', path: '/v1/traces' },
    ({ apiKey = '', spaceKey = '' }) => ({ api_key: apiKey, space_id: spaceKey }),
    { resource: ({ modelId = '' }) => ({ model_id: modelId, 'openinference.project.name': modelId }) },
  ),
  grafana: otlp(
    {
      apiKey: secret,
      instanceId: required,
      baseUrl: address('https://otlp-gateway-prod-us-west-0.grafana.net'),
    },
    { at: 'baseUrl', path: '/otlp/v1/traces' },
    ({ apiKey = '', instanceId = '' }) => ({ authorization: basic(instanceId, apiKey) }),
  ),
  newrelic: {
    fields: { licenseKey: secret, region: { default: 'us', choices: ['us', 'eu'] } },
    form: 'otlp-json',
    isVendor: true,
    request: ({ licenseKey = '', region = 'us' }) => {
      const headers = { 'api-key': licenseKey };
      return { url: `${newRelicHosts[region]}${tracesPath}`, method: 'POST', headers };
    },
  },
  opik: {
    fields: { apiKey: secret, workspace: required, projectName: required },
    form: 'otlp-json',
    isVendor: true,
    request: ({ apiKey = '', workspace = '', projectName = '' }) => {
      const headers = { authorization: apiKey, 'comet-workspace': workspace, projectname: projectName };
      return { url: opikAddress, method: 'POST', headers };
    },
  },
  sentry: otlp(
    {
      dsn: { ...secret, pattern: /^https:\/\/([^:@]+)(?::[^@]*)?@([^/]+)(?:\/[^/]+)*\/(\d+)\/?$/ },
      otlpEndpoint: address(),
    },
    { at: 'otlpEndpoint', path: tracesPath },
    ({ dsn = '' }) => ({ 'x-sentry-auth': `sentry sentry_key=${sentryKey(dsn)}` }),
  ),
  posthog: otlp(
    { apiKey: secret, endpoint: address('https://us.i.posthog.com') },
    { at: 'endpoint', path: '/i/v0/ai/otel/v1/traces' },
    bearer,
  ),
  ramp: otlp(
    { apiKey: secret, baseUrl: address('https://api.ramp.com/developer/v1/ai-usage/service') },
    { at: 'baseUrl', path: '/otlp/v1/traces' },
    bearer,
  ),
};

/** The members of a `config` that are texts, with defaults for those that are absent. */
export function configTexts({ fields }: DestinationType, config: JsonObject): ConfigTexts {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const given = config[name];
      const text = typeof given === 'string' ? given : field.default;
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Headers that the owner of a destination adds. */
export function ownHeaders({ headers }: JsonObject): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
