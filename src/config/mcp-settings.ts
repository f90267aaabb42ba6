import { durationField, httpUrlField, section, sizeField } from '../schema/fields.ts';
import { type CamelCased, camelCased } from '../util/camel-case.ts';
import { flag, integer, list, map, marked, type Static, Type, text, word } from '../util/json-schema.ts';
import { Secret } from '../util/secret.ts';

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
export const mcpSettings = Type.Object(
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
export type McpConfig = Omit<CamelCased<Static<typeof mcpSettings>>, 'servers'> & {
  readonly servers: Readonly<
    Record<string, { readonly url: string; readonly headers: Readonly<Record<string, Secret>> }>
  >;
};

/** The settings with labels and names of headers as they were written. */
export function declaredMcp({ servers, ...others }: Static<typeof mcpSettings>): McpConfig {
  const declared = Object.entries(servers).map(([label, { url, headers }]) => {
    const secrets = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), new Secret(value)]);
    return [label, { url, headers: Object.fromEntries(secrets) }] as const;
  });
  return { ...camelCased(others), servers: Object.fromEntries(declared) };
}
