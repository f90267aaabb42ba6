import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isObject } from '../../util/json.ts';
import { askServer, type ServerAccess } from '../ask-server.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { planText, type ShownPlan } from '../plan-view.ts';

/** Words of filler at most; each is about one token. */
const mostFiller = 400_000;

/** What is read of a call. */
interface CallFacts {
  readonly row: { readonly requested_model: string; readonly input_tokens: number | null };
  /** A body that is routed alike, where it was kept. */
  readonly replay?: Readonly<Record<string, unknown>> | null;
}

interface ExplainOptions extends ServerAccess {
  readonly model?: string;
  readonly file?: string;
  readonly generation?: string;
  readonly input: string;
  readonly classify?: true;
}

/**
 * `route explain`: asks a running server where a request would go, for only the server knows how endpoints do. No
 * provider is called and nothing is charged.
 */
export function addRouteCommands(program: Command, context: CommandContext): void {
  const route = program.command('route').description('where requests go, and why');
  route
    .command('explain')
    .description('explain where a running server would send a request')
    .option('--model <slug>', 'the model; wins over the one in the file')
    .option('--file <file>', 'the JSON body of the request')
    .option(
      '--generation <id>',
      'a call that was made: its model and preferences, and filler as long as its prompt',
    )
    .option('--input <text>', 'the prompt where the file gives none', 'Hello')
    .option('--classify', 'ask the classifying model of service/auto, which is charged')
    .option('--url <url>', 'address of the server (default: HEADGATE_URL, else as configured)')
    .option('--key <key>', 'an inference key (default: HEADGATE_API_KEY)')
    .action(async (options: ExplainOptions) => {
      const body = await readBody(options, context);
      const path = `/responses/plan${options.classify === true ? '?classify=true' : ''}`;
      const plan = (await askServer(path, body, options, context)) as ShownPlan;
      context.answer(plan, planText(plan));
    });
}

async function readBody(
  { model, file, generation, input, ...access }: ExplainOptions,
  context: CommandContext,
): Promise<Record<string, unknown>> {
  const made = generation === undefined ? {} : await factsOf(generation, access, context);
  const written = file === undefined ? {} : await readJson(resolve(context.surroundings.cwd, file));
  const body = { input, ...made, ...written, ...(model === undefined ? {} : { model }) };
  if (!('model' in body) && !('models' in body)) {
    throw new CommandFailure('no model is named; give --model, --generation or a file that names one');
  }
  return body;
}

/** What a call asked for, and text of its size: what was said is not kept. */
async function factsOf(
  id: string,
  access: ServerAccess,
  context: CommandContext,
): Promise<Record<string, unknown>> {
  const answer = await askServer(`/generations/${encodeURIComponent(id)}`, undefined, access, context);
  const { row, replay } = (answer as { data: CallFacts }).data;
  const tokens = Math.min(mostFiller, Math.max(1, row.input_tokens ?? 1));
  const asked = replay ?? { model: row.requested_model };
  return { ...asked, input: 'word '.repeat(tokens).trim() };
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'holds no valid JSON' : 'cannot be read';
    throw new CommandFailure(`${file} ${reason}; give the JSON body of a request`);
  }
  if (isObject(body)) return { ...body };
  throw new CommandFailure(`${file} holds no object; give the JSON body of a request`);
}
