import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import type { FusionPanel } from '../../core/fusion.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatTable } from '../format-table.ts';

/** `tools list`: what of the gateway's own tools is on, and what is missing. */
export function addToolCommands(program: Command, context: CommandContext): void {
  const tools = program.command('tools').description('tools that the gateway runs for models');
  tools
    .command('list')
    .description('list the tools, what they work with and what is missing')
    .action(async () => {
      const shown = toolsOf(await context.loadForBooks());
      context.answer({ tools: shown }, formatTable(toolColumns, shown.map(toolRow)));
    });
}

/** Whether a tool can be used here, what it works with, and what to set where something is missing. */
interface ShownTool {
  readonly tool: string;
  readonly state: 'on' | 'off' | 'partly';
  readonly backends: readonly string[];
  readonly missing: string | null;
}

/** The columns of a table of tools. */
const toolColumns: readonly Column[] = [
  { heading: 'TOOL' },
  { heading: 'STATE' },
  { heading: 'WORKS WITH' },
  { heading: 'MISSING' },
];

/** One row of that table. */
function toolRow({ tool, state, backends, missing }: ShownTool): readonly string[] {
  return [tool, state, backends.join(', '), missing ?? ''];
}

/** Every tool that the gateway runs, as a configuration makes it (docs/spec/server-tools.md#operators-view). */
function toolsOf(config: Config): readonly ShownTool[] {
  const { tools } = config;
  const engines = tools.webSearch.engines.map(({ engine }) => engine);
  return [
    on('service:datetime'),
    when('service:web_search', engines.length > 0, engines, 'a search engine: set tools.web_search.engines'),
    when('service:web_fetch', tools.webFetch.enabled, ['the gateway'], 'set tools.web_fetch.enabled'),
    on('service:experimental__search_models', 'the catalogue'),
    on('service:tool_search'),
    on('service:advisor', 'models of the catalogue'),
    on('service:subagent', 'models of the catalogue'),
    fusion(config),
    on('service:apply_patch', 'the validator'),
    when('service:files', tools.files.enabled, [placeOfFiles(config)], 'set tools.files.enabled'),
    imageGeneration(config),
    ...['service:shell', 'service:bash'].map((tool) => {
      const { driver } = tools.sandbox;
      return when(tool, driver !== 'off', [driver], 'a sandbox: set tools.sandbox.driver');
    }),
    mcp(config),
  ];
}

function on(tool: string, ...backends: readonly string[]): ShownTool {
  return { tool, state: 'on', backends, missing: null };
}

function when(tool: string, isOn: boolean, backends: readonly string[], missing: string): ShownTool {
  return isOn ? on(tool, ...backends) : { tool, state: 'off', backends: [], missing };
}

function placeOfFiles({ database, tools }: Config): string {
  if (/^postgres/.test(database.url)) return 'the database';
  return tools.files.directory ?? 'the data directory';
}

function imageGeneration({ catalogue, tools }: Config): ShownTool {
  const { model } = tools.imageGeneration;
  const found = resolveSlug(model, catalogue).outcome === 'model';
  const missing = `the model ${model}: set tools.image_generation.model to one that makes pictures`;
  return when('service:image_generation', found, [model], missing);
}

/** Partly on where a panel lacks some of its models: these are skipped. */
function fusion({ catalogue, tools }: Config): ShownTool {
  const panels = Object.entries(tools.fusion.panels) as readonly (readonly [string, FusionPanel])[];
  const absent = panels.flatMap(([, { models, analyst }]) =>
    [...models, ...(analyst === undefined ? [] : [analyst])].filter((slug) => {
      const { outcome } = resolveSlug(slug, catalogue);
      return outcome !== 'model' && outcome !== 'router';
    }),
  );
  const backends = panels.map(([name, { models }]) => `${name} (${models.length})`);
  if (absent.length === 0) return on('service:fusion', ...backends);
  const names = [...new Set(absent)].join(', ');
  const missing = `models of its panels: ${names}; set tools.fusion.panels, or name models in requests`;
  return { tool: 'service:fusion', state: 'partly', backends, missing };
}

function mcp({ tools }: Config): ShownTool {
  const { enabled, servers } = tools.mcp;
  const labels = Object.keys(servers);
  return when(
    'mcp',
    enabled,
    labels.length > 0 ? labels : ['servers that requests name'],
    'set tools.mcp.enabled',
  );
}
