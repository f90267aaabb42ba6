import { type FusionPanels, fusionPresets } from '../core/fusion.ts';
import { readAllowed, readDenied } from '../egress/egress-rules.ts';
import {
  durationField,
  httpUrlField,
  proxyField,
  secretField,
  section,
  sizeField,
} from '../schema/fields.ts';
import { units, withUnit } from '../schema/units.ts';
import { type CamelCased, camelCased } from '../util/camel-case.ts';
import { type Environment, environmentValue } from '../util/environment.ts';
import {
  flag,
  integer,
  list,
  map,
  marked,
  orNull,
  type Static,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { Secret } from '../util/secret.ts';
import { type EngineName, type EngineSettings, engineNames } from '../web-search/search-engine.ts';
import { engineFormats } from '../web-search/web-search.ts';
import type { Reading } from './reading.ts';

/** `tools.sandbox`: where commands of models run. */
const sandboxSettings = Type.Object(
  {
    driver: word(['off', 'bubblewrap', 'podman', 'docker', 'http'], {
      default: 'off',
      description: 'What makes containers for `service:shell` and `service:bash`',
    }),
    root: Type.Optional(
      text({
        minLength: 1,
        description:
          'For bubblewrap: a directory with the programs commands may run; those of this machine by default',
      }),
    ),
    image: Type.Optional(
      text({
        minLength: 1,
        description: 'For podman and docker: the image, with bash in it, by its digest; it must be there',
      }),
    ),
    runtime: Type.Optional(
      text({ minLength: 1, description: 'For podman and docker: the runtime of containers, such as runsc' }),
    ),
    url: Type.Optional(httpUrlField('For http: the address of the service, which may be private')),
    api_key: secretField('For http: what the service is asked with'),
    limits: Type.Object(
      {
        memory: sizeField('512MiB', 'Memory of each process of a container, and of all together'),
        disk: sizeField('1GiB', 'Files of a container; they are held in memory'),
        processes: integer({
          minimum: 8,
          maximum: 4096,
          default: 256,
          description: 'Processes of a container',
        }),
      },
      section('What one container may take'),
    ),
    max_containers: integer({
      minimum: 1,
      maximum: 1_000,
      default: 16,
      description: 'Containers of a process at the same time',
    }),
    max_containers_per_workspace: integer({
      minimum: 1,
      maximum: 1_000,
      default: 5,
      description: 'Of these, for one workspace',
    }),
  },
  section('The sandbox for commands'),
);

/** Members that belong to some drivers alone. */
const owners = {
  root: ['bubblewrap'],
  image: ['podman', 'docker'],
  runtime: ['podman', 'docker'],
  url: ['http'],
  api_key: ['http'],
} as const;

/** Notes members that the driver needs, and those that have no effect with it. */
function checkSandbox(settings: Partial<Static<typeof sandboxSettings>> | undefined, reading: Reading): void {
  const { driver = 'off' } = settings ?? {};
  const needed = { podman: 'image', docker: 'image', http: 'url' } as const;
  const missing = driver === 'off' || driver === 'bubblewrap' ? undefined : needed[driver];
  if (missing !== undefined && settings?.[missing] === undefined) {
    reading.problem(`tools.sandbox.${missing}`, {
      problem: 'is missing',
      allowed:
        missing === 'image' ? 'an image with bash, such as name@sha256:...' : 'the address of the service',
      remedy: `add it, the driver "${driver}" needs it`,
    });
  }
  for (const [name, drivers] of Object.entries(owners)) {
    if (
      settings?.[name as keyof typeof owners] === undefined ||
      (drivers as readonly string[]).includes(driver)
    )
      continue;
    reading.problem(`tools.sandbox.${name}`, {
      problem: `has no effect with the driver "${driver}"`,
      allowed: `the driver ${drivers.join(' or ')}`,
      remedy: 'remove it, or name that driver',
    });
  }
}

const serverSchema = Type.Object(
  {
    url: httpUrlField('Its address, which may be private'),
    headers: marked(
      map(text(), { default: {}, description: 'Sent with every request to it, credentials too' }),
      {
        secret: true,
      },
    ),
  },
  { additionalProperties: false, description: "An MCP server of the operator's own" },
);

/** `tools.mcp`: the MCP servers that the gateway asks. */
const mcpSettings = Type.Object(
  {
    enabled: flag({
      default: true,
      description: 'Whether the gateway asks MCP servers where no endpoint does',
    }),
    allowed_hosts: list(text({ minLength: 1 }), {
      default: [],
      description:
        'Hosts of servers that requests may name, `*.` for all below one; any public host where empty',
    }),
    servers: map(serverSchema, {
      default: {},
      description: 'Servers that requests name by these labels, without an address',
    }),
    prefer: word(['native', 'gateway'], {
      default: 'native',
      description: 'Who asks a server where an endpoint could as well',
    }),
    on_list_failure: word(['fail', 'continue'], {
      default: 'fail',
      description: 'What becomes of a request whose server cannot list its tools',
    }),
    max_servers: integer({ minimum: 1, maximum: 64, default: 5, description: 'Servers of a request' }),
    max_tools: integer({
      minimum: 1,
      maximum: 1_000,
      default: 128,
      description: 'Tools of a server that are offered',
    }),
    call_timeout: durationField('How long a request to a server may take', '60s'),
    result_limit: sizeField('1MiB', 'Longest result, in characters; the rest is cut off'),
    list_ttl: durationField('How long a list of tools is kept', '5m'),
  },
  section('MCP servers'),
);

/** `tools.mcp` as the program uses it. */
type McpConfig = Omit<CamelCased<Static<typeof mcpSettings>>, 'servers'> & {
  readonly servers: Readonly<
    Record<string, { readonly url: string; readonly headers: Readonly<Record<string, Secret>> }>
  >;
};

/** The settings with labels and names of headers as they were written. */
function declaredMcp({ servers, ...others }: Static<typeof mcpSettings>): McpConfig {
  const declared = Object.entries(servers).map(([label, { url, headers }]) => {
    const secrets = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), new Secret(value)]);
    return [label, { url, headers: Object.fromEntries(secrets) }] as const;
  });
  return { ...camelCased(others), servers: Object.fromEntries(declared) };
}

const engineSchema = Type.Object(
  {
    engine: word(engineNames, { description: 'Which one' }),
    base_url: Type.Optional(httpUrlField("Its address, for SearXNG the operator's own; it may be private")),
    api_key: secretField('What it is asked with; left out: the variable of its name, such as EXA_API_KEY'),
    price: Type.Optional(
      withUnit(units.usd, {
        type: ['number', 'string'],
        minimum: 0,
        description: 'USD of a search, in place of its usual price',
      }),
    ),
  },
  { additionalProperties: false, description: 'A search engine' },
);

/** Until an operator names another one. */
const usualImageModel = 'openai/gpt-5-image';

/** Until an operator names others; those that the catalogue lacks are left out. */
const usualPanel = ['~anthropic/claude-opus-latest', '~openai/gpt-latest', '~google/gemini-pro-latest'];

function panelSchema(description: string, usual: readonly string[] = []) {
  return Type.Object(
    {
      models: list(text({ minLength: 1 }), {
        maxItems: 8,
        default: usual,
        description: 'Slugs of the models that are asked; without any the panel is not there',
      }),
      analyst: Type.Optional(
        orNull(
          text({ minLength: 1, description: 'Compares the answers; without one the model that answers' }),
        ),
      ),
    },
    section(description),
  );
}

/** `tools`: what the tools need that the gateway runs. */
export const toolSettings = Type.Object(
  {
    web_search: Type.Object(
      {
        engines: list(engineSchema, {
          default: [],
          description: 'Search engines; the first one searches unless a request names another',
        }),
      },
      section('Searches of the web'),
    ),
    web_fetch: Type.Object(
      {
        enabled: flag({ default: true, description: 'Whether models may fetch pages' }),
        max_content_tokens: integer({
          minimum: 1,
          maximum: 10_000_000,
          default: 100_000,
          description: 'Of the text of a page, where the request says nothing',
        }),
      },
      section('Fetching of pages'),
    ),
    image_generation: Type.Object(
      {
        model: text({
          minLength: 1,
          default: usualImageModel,
          description:
            'Makes pictures where the request names no model; without it in the catalogue there are none',
        }),
      },
      section('Pictures that models have made'),
    ),
    files: Type.Object(
      {
        enabled: flag({
          default: true,
          description: 'Whether keys may store files, for requests and for models',
        }),
        directory: Type.Optional(
          text({
            minLength: 1,
            description: 'Where contents are, unless they are in PostgreSQL; files in data_dir by default',
          }),
        ),
      },
      section('Files of workspaces'),
    ),
    fusion: Type.Object(
      {
        panels: Type.Object(
          {
            'general-high': panelSchema('Panel of requests that name none', usualPanel),
            'general-budget': panelSchema('Cheap models with a strong analyst'),
            'general-fast': panelSchema('Models that begin to answer at about the same time'),
          },
          section('Panels by the word of the request'),
        ),
      },
      section('Several models that are asked side by side'),
    ),
    mcp: mcpSettings,
    sandbox: sandboxSettings,
    egress: Type.Object(
      {
        allow: list(text({ minLength: 1 }), {
          default: [],
          description:
            'Targets outside of the public internet that may be reached, such as wiki.corp:8080 or 10.1.0.0/16:80',
        }),
        deny: list(text({ minLength: 1 }), {
          default: [],
          description: 'Hosts, addresses and networks that may not; they win',
        }),
        max_body: sizeField('10MiB', 'Largest body that is fetched, decoded'),
        proxy: proxyField(
          'Reaches them, by CONNECT to the address that was checked; never taken from variables',
        ),
      },
      section('Requests to addresses that clients and models name'),
    ),
    loop: Type.Object(
      {
        max_steps: integer({
          minimum: 1,
          maximum: 10_000,
          default: 200,
          description: 'Calls of tools of a request at most, whatever it says',
        }),
        max_time: durationField('How long a request may go on calling tools', '15m'),
        parallel: integer({
          minimum: 1,
          maximum: 64,
          default: 8,
          description: 'Calls that run at the same time',
        }),
      },
      section('The loop of tools'),
    ),
  },
  section('Tools that the gateway runs'),
);

/** `tools` as read. */
export type ToolSettings = Static<typeof toolSettings>;

/** Checks what single values cannot tell, and fills in keys and addresses from the environment. */
export function checkTools(settings: Partial<ToolSettings> | undefined, reading: Reading): void {
  checkSandbox(settings?.sandbox, reading);
  for (const [list, read] of [
    ['allow', readAllowed],
    ['deny', readDenied],
  ] as const) {
    for (const [index, entry] of (settings?.egress?.[list] ?? []).entries()) {
      checkEntry(entry, `tools.egress.${list}[${index}]`, read, reading);
    }
  }
  const seen = new Set<string>();
  for (const [index, { engine, base_url, api_key }] of (settings?.web_search?.engines ?? []).entries()) {
    const path = `tools.web_search.engines[${index}]`;
    if (seen.has(engine)) {
      reading.problem(path, {
        problem: `"${engine}" is there twice`,
        allowed: 'each engine once',
        remedy: 'remove one',
      });
    }
    seen.add(engine);
    const { needsKey } = engineFormats[engine];
    if (needsKey && api_key === undefined && keyOf(engine, reading.environment) === undefined) {
      reading.problem(`${path}.api_key`, {
        problem: 'is missing',
        allowed: 'a credential of the engine',
        remedy: `add it as \${${engine.toUpperCase()}_API_KEY}`,
      });
    }
    if (engine === 'searxng' && base_url === undefined) {
      reading.problem(`${path}.base_url`, {
        problem: 'is missing',
        allowed: 'the address of your SearXNG',
        remedy: 'add it, such as http://127.0.0.1:8888',
      });
    }
  }
}

/** Checks the hosts that destinations of traces may be at. */
export function checkDestinationHosts(hosts: readonly string[] | undefined, reading: Reading): void {
  for (const [index, entry] of (hosts ?? []).entries()) {
    checkEntry(entry, `observability.destinations.private_hosts[${index}]`, readAllowed, reading);
  }
}

function checkEntry(entry: string, path: string, read: (entry: string) => unknown, reading: Reading): void {
  try {
    read(entry);
    if (/^(localhost|127\.|\[?::1)/.test(entry) && path.includes('.allow')) {
      reading.warn(path, `"${entry}" lets models reach services of this machine`);
    }
  } catch (thrown) {
    reading.problem(path, {
      problem: `"${entry}" cannot be read`,
      allowed: thrown instanceof Error ? thrown.message : 'another form',
      remedy: 'write it in that form',
    });
  }
}

/** What the tools of the gateway need, as the program uses it. */
export type ToolConfig = Omit<CamelCased<ToolSettings>, 'webSearch' | 'fusion' | 'mcp'> & {
  readonly mcp: McpConfig;
  readonly webSearch: { readonly engines: readonly EngineSettings[] };
  readonly fusion: { readonly panels: FusionPanels };
};

/** The settings with the keys of the environment. An engine whose variable is set is there without an entry. */
export function declaredTools(settings: ToolSettings, environment: Environment): ToolConfig {
  const { web_search: search, fusion, mcp, ...others } = settings;
  const listed = search.engines.map(
    ({ engine, base_url: baseUrl, api_key: apiKey, price }): EngineSettings => {
      return { engine, baseUrl, apiKey: apiKey ?? keyOf(engine, environment), price };
    },
  );
  const found = engineNames
    .filter((engine) => !listed.some((one) => one.engine === engine))
    .flatMap((engine): readonly EngineSettings[] => {
      const apiKey = keyOf(engine, environment);
      const baseUrl = engine === 'searxng' ? environmentValue(environment, 'SEARXNG_URL') : undefined;
      return apiKey === undefined && baseUrl === undefined ? [] : [{ engine, baseUrl, apiKey }];
    });
  return {
    ...camelCased(others),
    mcp: declaredMcp(mcp),
    webSearch: { engines: [...listed, ...found] },
    fusion: { panels: panelsOf(fusion.panels) },
  };
}

function panelsOf(panels: ToolSettings['fusion']['panels']): FusionPanels {
  const listed = fusionPresets.flatMap((preset) => {
    const { models, analyst } = panels[preset];
    return models.length === 0 ? [] : [[preset, { models, ...(analyst && { analyst }) }] as const];
  });
  return Object.fromEntries(listed);
}

function keyOf(engine: EngineName, environment: Environment): Secret | undefined {
  if (!engineFormats[engine].needsKey) return undefined;
  const value = environmentValue(environment, `${engine.toUpperCase()}_API_KEY`);
  return value === undefined ? undefined : new Secret(value);
}
