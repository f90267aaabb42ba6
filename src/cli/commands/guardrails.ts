import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Config } from '../../config/config.ts';
import { ContentScanner } from '../../guardrails/content-scanner.ts';
import { EntityScanner } from '../../guardrails/entity-scanner.ts';
import { IsolatedProcesses } from '../../isolation/isolated-processes.ts';
import {
  allowPhrase,
  assignGuardrail,
  disallowPhrase,
  listPhrases,
  unassignGuardrail,
} from '../../management/guardrails/assignments.ts';
import {
  listFalsePositives,
  showFalsePositives,
  tryGuardrail,
} from '../../management/guardrails/false-positives.ts';
import {
  changeGuardrail,
  createGuardrail,
  deleteGuardrail,
  findGuardrail,
  type GuardrailInput,
  type GuardrailSurroundings,
  listGuardrails,
} from '../../management/guardrails/guardrails.ts';
import { showFileGuardrail, showGuardrail, showPhrase } from '../../management/guardrails/show.ts';
import type { AssigneeKind } from '../../ports/guardrails.ts';
import { GuardrailFile } from '../../schema/guardrail-body.ts';
import { createReader } from '../../schema/reader.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatTable, visible } from '../format-table.ts';
import { operatorFor, withAccount } from '../operator-for.ts';
import { parseCount, parseText } from '../option-values.ts';

const columns = [{ heading: 'ID' }, { heading: 'NAME' }, { heading: 'MODE' }, { heading: 'SOURCE' }];
const mostListed = 100;

interface Assignees {
  readonly key?: string[];
  readonly member?: string[];
}

/** `guardrails list`, `show`, `create`, `set`, `delete`, `assign`, `unassign`, `test` and `allow`. */
export function addGuardrailCommands(program: Command, context: CommandContext): void {
  const guardrails = withAccount(
    program.command('guardrails').description('rules for the content and the cost of requests'),
  );
  addReadingCommands(guardrails, context);
  addSavingCommands(guardrails, context);
  addAssigningCommands(guardrails, context);
  addTestCommand(guardrails, context);
  addAllowCommands(guardrails, context);
  addReportCommand(guardrails, context);
}

function addReadingCommands(guardrails: Command, context: CommandContext): void {
  guardrails
    .command('list')
    .description('list the guardrails of a workspace, and those of the configuration file')
    .option('--workspace <id>', 'id or slug of the workspace; by default that of the account')
    .action((options: { readonly workspace?: string }) =>
      context.withStorage(async (services, config) => {
        const page = { ...options, offset: 0, limit: mostListed };
        const { stored, ofFile } = await listGuardrails(
          operatorFor(guardrails),
          page,
          config.guardrails,
          services,
        );
        const shown = [
          ...stored.map(showGuardrail),
          ...ofFile.map((one) => showFileGuardrail(one, services.clock.now())),
        ];
        const rows = shown.map((one) => [one.id, one.name, one.mode, 'source' in one ? 'file' : 'database']);
        context.answer({ guardrails: shown }, formatTable(columns, rows));
      }),
    );
  guardrails
    .command('show')
    .description('show a guardrail')
    .argument('<id>')
    .action((id: string) =>
      context.withStorage(async (services) => {
        const shown = showGuardrail(await findGuardrail(operatorFor(guardrails), id, services));
        context.answer(shown, `${JSON.stringify(shown, undefined, 2)}\n`);
      }),
    );
}

function addSavingCommands(guardrails: Command, context: CommandContext): void {
  const withFile = (command: Command) =>
    command.requiredOption(
      '--file <file>',
      'JSON: members of a body of POST /guardrails; - reads standard input',
    );
  withFile(
    guardrails
      .command('create')
      .description('create a guardrail, which applies to nothing before it is assigned')
      .addOption(new Option('--name <name>', 'its name').argParser(parseText).makeOptionMandatory())
      .option('--workspace <id>', 'id or slug of the workspace; by default that of the account'),
  ).action(({ file, name, workspace }: { file: string; name: string; workspace?: string }) =>
    context.withStorage(async (services, config) => {
      const { name: _written, ...input } = readGuardrailFile(file);
      const given = { ...input, name, ...(workspace !== undefined && { workspace }) };
      const shown = showGuardrail(
        await createGuardrail(operatorFor(guardrails), given, surroundingsFrom(config), services),
      );
      context.answer(shown, `${shown.id}\n`);
    }),
  );
  withFile(
    guardrails
      .command('set')
      .description('change a guardrail: what the file leaves out stays')
      .argument('<id>'),
  ).action((id: string, { file }: { file: string }) =>
    context.withStorage(async (services, config) => {
      const input = { ...readGuardrailFile(file), id };
      const shown = showGuardrail(
        await changeGuardrail(operatorFor(guardrails), input, surroundingsFrom(config), services),
      );
      context.answer(shown, `Guardrail ${shown.id} is changed.\n`);
    }),
  );
  guardrails
    .command('delete')
    .description('delete a guardrail and its assignments')
    .argument('<id>')
    .action((id: string) =>
      context.withStorage(async (services, config) => {
        await deleteGuardrail(operatorFor(guardrails), id, config.guardrails, services);
        context.answer({ deleted: true }, `Guardrail ${id} is deleted.\n`);
      }),
    );
}

function addAssigningCommands(guardrails: Command, context: CommandContext): void {
  const add = (name: 'assign' | 'unassign', description: string) => {
    const command = guardrails
      .command(name)
      .description(description)
      .argument('<id>')
      .option('--key <hash...>', 'keys by their whole hashes')
      .option('--member <user...>', 'members by user id');
    command.action((id: string, { key, member }: Assignees) => {
      if (key === undefined && member === undefined)
        command.error('error: name keys (--key) or members (--member)');
      return context.withStorage(async (services) => {
        const run = name === 'assign' ? assignGuardrail : unassignGuardrail;
        const count = (kind: AssigneeKind, subjects: readonly string[] = []) =>
          subjects.length === 0
            ? 0
            : run(operatorFor(guardrails), { guardrailId: id, kind, subjects }, services);
        const changed = { keys: await count('key', key), members: await count('member', member) };
        context.answer(changed, `${changed.keys} keys and ${changed.members} members.\n`);
      });
    });
  };
  add('assign', 'give a guardrail to keys or members, in place of the ones they had');
  add('unassign', 'take a guardrail from keys or members');
}

function addTestCommand(guardrails: Command, context: CommandContext): void {
  guardrails
    .command('test')
    .description('what a guardrail would make of a text; nothing is called or charged')
    .argument('<text>')
    .option('--guardrail <id>', 'a guardrail, or the name of one in the configuration file')
    .option('--key <hash>', 'all guardrails that apply to a key')
    .option('--file <file>', 'a guardrail that is not stored, as JSON')
    .option('--system', 'try the text as if the user had not written it')
    .action((text: string, options: { guardrail?: string; key?: string; file?: string; system?: boolean }) =>
      context.withStorage(async (services, config) => {
        const trial = {
          text,
          guardrailId: options.guardrail,
          keyHash: options.key,
          draft: options.file === undefined ? undefined : readGuardrailFile(options.file).rules,
          isUser: options.system !== true,
        };
        const tried = await tryGuardrail(operatorFor(guardrails), trial, surroundingsFrom(config), services);
        const { verdict, text: left, message } = tried;
        context.answer(
          { verdict, text: left ?? null, message: message ?? null },
          `${verdict}\n${message ?? left ?? ''}\n`,
        );
      }),
    );
}

function addAllowCommands(guardrails: Command, context: CommandContext): void {
  const allow = guardrails.command('allow').description('phrases that are no prompt injection');
  allow
    .command('list')
    .description('list them')
    .action(() =>
      context.withStorage(async (services) => {
        const phrases = await listPhrases(operatorFor(guardrails), services);
        const rows = phrases.map(({ id, phrase }) => [id, visible(phrase)]);
        const table = formatTable([{ heading: 'ID' }, { heading: 'PHRASE' }], rows);
        context.answer({ phrases: phrases.map(showPhrase) }, table);
      }),
    );
  allow
    .command('add')
    .description('add one')
    .argument('<phrase>')
    .action((phrase: string) =>
      context.withStorage(async (services) => {
        const added = showPhrase(await allowPhrase(operatorFor(guardrails), phrase, services));
        context.answer(added, `${added.id}\n`);
      }),
    );
  allow
    .command('remove')
    .description('remove one')
    .argument('<id>')
    .action((id: string) =>
      context.withStorage(async (services) => {
        await disallowPhrase(operatorFor(guardrails), id, services);
        context.answer({ deleted: true }, 'The phrase is removed.\n');
      }),
    );
}

function addReportCommand(guardrails: Command, context: CommandContext): void {
  guardrails
    .command('false-positives')
    .description('how often filters were reported to have found what is none')
    .addOption(new Option('--days <n>', 'days up to today').argParser(parseCount).default(30))
    .action(({ days }: { readonly days: number }) =>
      context.withStorage(async (services) => {
        const found = await listFalsePositives(operatorFor(guardrails), days, services);
        const rows = found.map((one) => [one.guardrailId, visible(one.filter), String(one.reports)]);
        const heads = [
          { heading: 'GUARDRAIL' },
          { heading: 'FILTER' },
          { heading: 'REPORTS', align: 'right' },
        ] as const;
        context.answer({ false_positives: found.map(showFalsePositives) }, formatTable(heads, rows));
      }),
    );
}

const check = createReader(GuardrailFile);

/** Reads a guardrail as `POST /guardrails` takes it. @throws CommandFailure; HeadgateError naming a wrong member. */
function readGuardrailFile(file: string): GuardrailInput {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new CommandFailure(`--file: ${file} cannot be read`);
  }
  const written = parseJson(text);
  if (!isObject(written)) throw new CommandFailure(`--file: ${file} holds no JSON object`);
  const { name, description, ...rules } = check(written, '');
  return { name, description, rules };
}

/** What guardrails are checked against on the command line. The processes of the scanner end with this one. */
function surroundingsFrom(config: Config): GuardrailSurroundings {
  return {
    catalogue: config.catalogue,
    file: config.guardrails,
    hasAnalyzer: config.entityAnalyzer !== undefined,
    scanner: new EntityScanner(() => config.entityAnalyzer, new ContentScanner(new IsolatedProcesses())),
  };
}
