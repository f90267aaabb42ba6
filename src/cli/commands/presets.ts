import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  changePreset,
  findPreset,
  findPresetVersion,
  listPresets,
  savePreset,
} from '../../management/presets/presets.ts';
import { showPreset, showWholePreset } from '../../management/presets/show.ts';
import type { PresetStatus } from '../../ports/presets.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatTable, visible } from '../format-table.ts';
import { operatorFor, withAccount } from '../operator-for.ts';

const columns = [
  { heading: 'SLUG' },
  { heading: 'NAME' },
  { heading: 'STATUS' },
  { heading: 'VERSION', align: 'right' },
  { heading: 'CHANGED' },
] as const;

const mostListed = 1_000;

interface Options {
  readonly workspace?: string;
}

/** `presets list`, `show`, `set`, `designate`, `enable`, `disable` and `archive`. */
export function addPresetCommands(program: Command, context: CommandContext): void {
  const presets = withAccount(program.command('presets').description('named settings for requests'));
  const inWorkspace = (command: Command) =>
    command.option('--workspace <id>', 'id or slug of the workspace; by default that of the account');
  inWorkspace(presets.command('list').description('list the presets of a workspace')).action(
    ({ workspace }: Options) =>
      context.withStorage(async (services) => {
        const page = { offset: 0, limit: mostListed };
        const { presets: found } = await listPresets(operatorFor(presets), { workspace }, page, services);
        const rows = found.map(({ slug, name, status, designated, updatedAt }) => [
          slug,
          visible(name),
          status,
          String(designated.version),
          new Date(updatedAt).toISOString(),
        ]);
        context.answer({ presets: found.map(showPreset) }, formatTable(columns, rows));
      }),
  );
  inWorkspace(
    presets.command('show').description('show a preset and its settings').argument('<slug>'),
  ).action((slug: string, { workspace }: Options) =>
    context.withStorage(async (services) => {
      const shown = showWholePreset(await findPreset(operatorFor(presets), { workspace }, slug, services));
      context.answer(shown, `${JSON.stringify(shown, undefined, 2)}\n`);
    }),
  );
  inWorkspace(
    presets
      .command('set')
      .description('store a new version of a preset, or a new preset')
      .argument('<slug>')
      .requiredOption('--file <file>', 'JSON: members of a body of POST /responses; - reads standard input')
      .option('--system <text>', 'the system prompt; by default the member "instructions"'),
  ).action((slug: string, options: Options & { readonly file: string; readonly system?: string }) =>
    context.withStorage(async (services) => {
      const { instructions, ...config } = readSettings(options.file);
      const written = typeof instructions === 'string' ? instructions : null;
      const input = { slug, config, systemPrompt: options.system ?? written };
      const { workspace } = options;
      const shown = showWholePreset(await savePreset(operatorFor(presets), { workspace }, input, services));
      context.answer(shown, `Preset "${shown.slug}" has version ${shown.designated_version.version}.\n`);
    }),
  );
  addDesignate(presets, inWorkspace, context);
  const setStatus = (name: string, status: PresetStatus, description: string) =>
    inWorkspace(presets.command(name).description(description).argument('<slug>')).action(
      (slug: string, { workspace }: Options) =>
        context.withStorage(async (services) => {
          const input = { slug, change: { status } };
          const preset = await changePreset(operatorFor(presets), { workspace }, input, services);
          context.answer(showPreset(preset), `Preset "${preset.slug}" is ${status}.\n`);
        }),
    );
  setStatus('enable', 'active', 'let requests name a preset again');
  setStatus('disable', 'disabled', 'refuse requests that name a preset');
  setStatus('archive', 'archived', 'refuse requests that name a preset, for good');
}

function addDesignate(
  presets: Command,
  inWorkspace: (command: Command) => Command,
  context: CommandContext,
): void {
  inWorkspace(
    presets
      .command('designate')
      .description('let requests get another version of a preset')
      .argument('<slug>')
      .argument('<version>', 'its number'),
  ).action((slug: string, version: string, { workspace }: Options) =>
    context.withStorage(async (services) => {
      const actor = operatorFor(presets);
      const { id } = await findPresetVersion(actor, { workspace }, { slug, version }, services);
      const input = { slug, change: { designatedVersionId: id } };
      const shown = showWholePreset(await changePreset(actor, { workspace }, input, services));
      context.answer(shown, `Requests get version ${version} of preset "${shown.slug}".\n`);
    }),
  );
}

function readSettings(file: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new CommandFailure(`--file: ${file} cannot be read`);
  }
  const settings = parseJson(text);
  if (!isObject(settings)) throw new CommandFailure(`--file: ${file} holds no JSON object`);
  return settings;
}
