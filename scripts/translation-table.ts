import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderRow } from '../src/catalogue/provider-row.ts';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import type { Provider } from '../src/core/catalogue.ts';
import {
  type Emulation,
  type Feature,
  type FeatureSupport,
  features,
  type Support,
} from '../src/core/features.ts';
import { createUpstreamRegistry } from '../src/upstream/registry.ts';
import { createTransport } from '../src/upstream/wire/transport.ts';

/** The file of the translation table. */
export const translationTableFile = join(import.meta.dirname, '../docs/translation.md');

/** One column: a dialect at one provider. */
interface Column {
  readonly title: string;
  readonly support: FeatureSupport;
}

const upstreams = createUpstreamRegistry({ transport: createTransport() });

/**
 * How every dialect handles features: those of their makers' own services, and a compatible provider without quirks.
 */
export function dialectColumns(): readonly Column[] {
  return [
    columnOf('OpenAI Responses', 'openai'),
    {
      title: 'Chat completions',
      support: supportOf(providerOf({ slug: 'any', name: 'Any', adapter: 'openai-chat' })),
    },
    columnOf('Azure', 'azure'),
    columnOf('Anthropic Messages', 'anthropic'),
    columnOf('Bedrock Converse', 'amazon-bedrock'),
    columnOf('Gemini', 'google-ai-studio'),
    columnOf('Vertex (Gemini)', 'google-vertex'),
    columnOf('Vertex (Claude)', 'google-vertex', 'claude-sonnet'),
  ];
}

/** Every built-in provider, with how it handles features. */
export function builtInProviders(): readonly {
  readonly row: ProviderRow;
  readonly support: FeatureSupport;
}[] {
  const remote = providerRows.filter((row) => row.adapter !== 'sandbox');
  return remote.map((row) => ({ row, support: supportOf(providerOf(row)) }));
}

/** Generates docs/translation.md from the adapters' declarations. */
export function renderTranslationTable(): string {
  const columns = dialectColumns();
  return [head, matrix(columns), emulations, ...columns.map(details), structuredOutput()].join('\n');
}

function matrix(columns: readonly Column[]): string {
  const titles = columns.map(({ title }) => title);
  const rows = featureNames.map((feature) => {
    const cells = columns.map(({ support }) => wordOf(support[feature]));
    return `| ${features[feature]} | ${cells.join(' | ')} |`;
  });
  return [`| | ${titles.join(' | ')} |`, `|---|${titles.map(() => '---|').join('')}`, ...rows, ''].join('\n');
}

function details({ title, support }: Column): string {
  const rows = featureNames.flatMap((feature) => {
    const how = howOf(support[feature]);
    return how === undefined ? [] : [`| ${features[feature]} | ${wordOf(support[feature])} | ${how} |`];
  });
  return [`## ${title}`, '', '| | | |', '|---|---|---|', ...rows, ''].join('\n');
}

function structuredOutput(): string {
  const rows = builtInProviders().map(({ row, support }) => {
    const cells = [support['text.json_schema'], support['text.json_object']].map(
      (kind) => howOf(kind) ?? wordOf(kind),
    );
    return `| ${row.name} | \`${row.slug}\` | \`${row.adapter}\` | ${cells.join(' | ')} |`;
  });
  const titles = '| Provider | Slug | Dialect | `json_schema` | `json_object` |';
  return [structuredHead, titles, '|---|---|---|---|---|', ...rows, ''].join('\n');
}

function wordOf(support: Support): string {
  if (typeof support === 'string') return support;
  if ('adapted' in support) return 'adapted';
  return 'emulated' in support ? 'emulated' : 'left out';
}

function howOf(support: Support): string | undefined {
  if (typeof support === 'string') return undefined;
  if ('adapted' in support) {
    return support.refuses === undefined ? support.adapted : `${support.adapted}; anything else is refused`;
  }
  return 'emulated' in support ? `\`${support.emulated}\`` : support.dropped;
}

function columnOf(title: string, slug: string, upstreamModel?: string): Column {
  const row = providerRows.find((known) => known.slug === slug);
  if (row === undefined) throw new Error(`There is no provider row "${slug}".`);
  return { title, support: supportOf(providerOf(row), upstreamModel) };
}

function supportOf(provider: Provider, upstreamModel?: string): FeatureSupport {
  const upstream = upstreams.get(provider.adapter);
  if (upstream === undefined) throw new Error(`There is no adapter "${provider.adapter}".`);
  return upstream.support(provider, upstreamModel);
}

function providerOf({ slug, name, adapter, quirks = {} }: ProviderRow): Provider {
  return {
    slug,
    name,
    adapter,
    quirks,
    headers: {},
    timeouts: { connect: 0, firstEvent: 0, total: 0, idle: 0 },
    retainsPrompts: true,
    trainsOnPrompts: true,
    publishesPrompts: false,
  };
}

const featureNames = Object.keys(features) as Feature[];

const emulationTexts: Readonly<Record<Emulation, string>> = {
  'as-function':
    'The tool is sent as a function: a custom tool with one string `input`, a shell with `commands`, a patch with `type`, `path` and `diff`. Calls become items of the tool again; free text and diffs are streamed as they are written. Replayed items are sent as calls of the function.',
  described: "The grammar becomes part of the tool's description. Nothing enforces it.",
  flattened:
    'Tools of a namespace are sent as `<namespace>__<name>`, within 64 characters and never with the name of another tool; calls get their `namespace` back.',
  filtered:
    'Calls that the request does not allow are removed from the answer. If a call is required, only allowed tools are offered; if none is allowed, no tools are offered, unless the conversation has calls.',
  'forced-tool':
    'The schema is sent as the parameters of a function that the model must call; its arguments are streamed as text. With other tools, with reasoning models, and for schemas that are not objects: `instructed`.',
  instructed:
    'The instructions ask for JSON with its schema; JSON mode is used if the provider has it. A code fence around the answer is removed.',
  'as-call-pair':
    'An item of a hosted tool or of a `service:*` tool is sent as a function call with its output, in its place. Reserved kinds of `service:*` are left out.',
  'as-message':
    "An item is sent as a message. Encrypted parts of agents' messages cannot be read and are left out.",
  merged:
    'Tools added later are offered from the beginning (of two with one name the last); the last effort of the conversation applies to all of it.',
  moved: 'Media from the model or the system are sent in a user message in their place.',
  'as-text':
    'The block becomes text: a search result its title, source and content; a document of text its title and text. What is said about a document stands before it. The output of a tool that failed begins by saying so.',
  shortened:
    'If the conversation ([estimated](token-estimates.md), with some reserve) is longer than the context minus the output, turns are left out: the oldest middle turns, then the first, then early steps of the newest. Calls go together with their outputs and reasoning. Instructions, system messages and the end of the newest turn stay.',
};

const head = `# Translation

<!-- Made by \`npm run docs\` from what the adapters declare; a test compares the two. -->

What a dialect cannot express is translated by the rules of this page or refused; nothing is left out without notice.

| | Means |
|---|---|
| native | the dialect has the same feature |
| adapted | the adapter expresses it in nearly equivalent words; it counts as altered only if the result differs |
| emulated | the gateway rewrites the request before it goes out, and the answer when it comes back |
| left out | the answer is correct without it |
| refused | the endpoint is passed over |

**Refused** by all endpoints: 400 \`invalid_request\`, with \`availability.code\` \`constraint_filtered\`, \`excluded_by\`
\`modality\` for media and \`require_parameters\` for all else, and \`constraint\` naming the place in the request; 503
\`provider_unavailable\` when an endpoint could serve it and a preference rules that one out. A \`prompt\`
template, a \`configuration_update\` for a model without efforts and \`reasoning.effort\` none for a model that always
reasons are faults of the request: 400 \`invalid_request\`.

**To see it**: with \`X-Service-Metadata: enabled\` the answer's \`service_metadata.pipeline\` has a stage \`translation\` with every field that was
adapted, emulated or left out for the endpoint that answered. **To forbid it**: with \`X-Service-Strict: true\` endpoints that would alter
anything are passed over; if none is left, the answer is 422 \`unprocessable\` and names the first field.

Two more rules apply everywhere. Parameters that an endpoint does not declare are left out ([parameters](spec/routing.md#parameters)); structured
output is then \`instructed\`. An effort that the model does not have becomes the nearest one.

To use unreleased features of a vendor, send its header \`anthropic-beta\` or \`x-anthropic-beta\`: Claude gets these words wherever it is served,
after those the operator configured. No other provider sees the header, and it does not change the route.
`;

const emulations = `## Emulations

| | |
|---|---|
${Object.entries(emulationTexts)
  .map(([name, text]) => `| \`${name}\` | ${text} |`)
  .join('\n')}
`;

const structuredHead = `## Structured output by provider

How each built-in provider is made to follow a schema. The quirks \`structuredOutput\` and \`schemaFallback\` of a provider change it.
`;

if (import.meta.main) writeFileSync(translationTableFile, renderTranslationTable());
