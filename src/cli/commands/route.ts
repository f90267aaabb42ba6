import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isObject, type JsonObject } from '../../util/json.ts';
import { askServer, type ServerAccess } from '../ask-server.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatPairs, formatTable } from '../format-table.ts';

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
  const written = file === undefined ? {} : await readJson(resolve(context.environment.cwd, file));
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

/** What the server answers about a route, as far as people are shown it. */
interface ShownPlan {
  readonly models: readonly { readonly id: string; readonly requested: string }[];
  readonly routers?: readonly {
    readonly slug: string;
    readonly summary: string;
    readonly data: JsonObject;
  }[];
  readonly prompt_tokens: number;
  readonly plan: readonly ShownTarget[];
  readonly excluded: readonly {
    readonly provider: string;
    readonly tag: string;
    readonly model: string;
    readonly reason: string;
  }[];
  readonly cost_ceiling: number | null;
  readonly refusal: ShownError | null;
  readonly verdict: { readonly admitted: boolean; readonly error: ShownError | null };
}

interface ShownTarget {
  readonly position: number;
  readonly provider: string;
  readonly tag: string;
  readonly model: string;
  readonly credential: string;
  readonly pricing: { readonly prompt: string; readonly completion: string } | null;
  readonly list_cost_ceiling: number | null;
  readonly because: string;
  readonly alterations: readonly { readonly field: string; readonly action: string; readonly how: string }[];
}

interface ShownError {
  readonly code: number;
  readonly message: string;
}

const planColumns: readonly Column[] = [
  { heading: '#', align: 'right' },
  { heading: 'MODEL' },
  { heading: 'PROVIDER' },
  { heading: 'ENDPOINT' },
  { heading: 'CREDENTIAL' },
  { heading: 'INPUT $/M', align: 'right' },
  { heading: 'OUTPUT $/M', align: 'right' },
  { heading: 'AT MOST $', align: 'right' },
  { heading: 'ALTERED', align: 'right' },
  { heading: 'HERE BECAUSE OF' },
];

const exclusionColumns: readonly Column[] = [
  { heading: 'NOT TRIED' },
  { heading: 'PROVIDER' },
  { heading: 'ENDPOINT' },
  { heading: 'BECAUSE OF' },
];

/** A route explanation in words: the plan, what is altered, what is not tried and why, and the verdict. */
function planText(shown: ShownPlan): string {
  const { plan, excluded } = shown;
  const alterations = plan.flatMap(({ position, alterations: list }) =>
    list.map(({ field, action, how }) => `#${position} ${field}: ${action} (${how})\n`),
  );
  const parts = [
    plan.length === 0 ? 'No endpoint would be tried.\n' : formatTable(planColumns, plan.map(planRow)),
    alterations.join(''),
    excluded.length === 0 ? '' : formatTable(exclusionColumns, excluded.map(exclusionRow)),
    formatPairs(summaryOf(shown)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function planRow(target: ShownTarget): readonly string[] {
  return [
    String(target.position),
    target.model,
    target.provider,
    target.tag,
    target.credential,
    perMillion(target.pricing?.prompt),
    perMillion(target.pricing?.completion),
    target.list_cost_ceiling === null ? '-' : decimal(target.list_cost_ceiling),
    target.alterations.length === 0 ? '-' : String(target.alterations.length),
    target.because,
  ];
}

function exclusionRow({ model, provider, tag, reason }: ShownPlan['excluded'][number]): readonly string[] {
  return [model, provider, tag, reason];
}

function summaryOf(shown: ShownPlan): readonly (readonly [string, string])[] {
  const { verdict, refusal, cost_ceiling: ceiling } = shown;
  const error = refusal ?? verdict.error;
  return [
    ...(shown.routers ?? []).map(({ slug, summary }) => [slug, summary] as const),
    ['Prompt', `about ${shown.prompt_tokens} tokens`],
    ['At most', ceiling === null ? 'unknown' : `${decimal(ceiling)} USD`],
    ['Verdict', error === null ? 'would be sent' : `refused with ${error.code}: ${error.message}`],
  ];
}

function perMillion(price: string | undefined): string {
  return price === undefined ? '-' : decimal(Number((Number(price) * 1e6).toPrecision(12)));
}

/** Without an exponent. */
function decimal(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 9, useGrouping: false });
}
