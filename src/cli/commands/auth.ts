import { type Command, Option } from 'commander';
import type { WorkloadIssuer } from '../../core/workloads.ts';
import { explainToken } from '../../identity/explain-token.ts';
import { fetchKeys } from '../../identity/fetch-keys.ts';
import { messageOf } from '../../util/message-of.ts';
import { readSecretFile } from '../../util/read-secret-file.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatTable, visible } from '../format-table.ts';

/** `auth check` and `auth explain`. */
export function addAuthCommands(program: Command, context: CommandContext): void {
  const auth = program.command('auth').description('programs that come with a token instead of a key');
  auth
    .command('check')
    .description('read the keys of each issuer of auth.workloads, and say what its policies overlook')
    .argument('[issuer]', 'of this one alone, by its id')
    .action((id: string | undefined) => check(context, id));
  auth
    .command('explain')
    .description('judge a token as a server would, step by step; stores and sends nothing of it')
    .addOption(new Option('--token-file <file>', 'the file that holds the token').makeOptionMandatory())
    .action(({ tokenFile }: { readonly tokenFile: string }) => explain(context, tokenFile));
}

async function explain(context: CommandContext, file: string): Promise<void> {
  const { workloads } = (await context.loadForBooks()).auth;
  const token = readToken(file);
  const steps = await explainToken(token, workloads, context.environment.clock.now());
  const accepted = steps.every(({ ok }) => ok);
  const rows = steps.map(({ step, ok, says }) => [step, ok ? 'yes' : 'no', visible(says)]);
  context.answer(
    { accepted, steps },
    formatTable([{ heading: 'STEP' }, { heading: 'OK' }, { heading: 'SAYS' }], rows),
  );
  if (!accepted) context.exitCode = 1;
}

function readToken(file: string): string {
  try {
    return readSecretFile(file).trim();
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
}

interface CheckedIssuer {
  readonly id: string;
  readonly keys: number | null;
  readonly problem: string | null;
  readonly warnings: readonly string[];
}

async function check(context: CommandContext, id: string | undefined): Promise<void> {
  const { workloads } = (await context.loadForBooks()).auth;
  const asked = workloads.filter((one) => id === undefined || one.id === id);
  if (asked.length === 0) {
    throw new CommandFailure(
      id === undefined ? 'auth.workloads names no issuer' : `auth.workloads has no issuer "${id}"`,
    );
  }
  const checked = await Promise.all(asked.map(checkIssuer));
  const rows = checked.flatMap(({ id, keys, problem, warnings }) => [
    [id, problem === null ? `${keys} keys` : visible(problem)],
    ...warnings.map((warning) => ['', visible(warning)]),
  ]);
  context.answer({ issuers: checked }, formatTable([{ heading: 'ISSUER' }, { heading: 'FOUND' }], rows));
  if (checked.some(({ problem }) => problem !== null)) context.exitCode = 1;
}

async function checkIssuer(issuer: WorkloadIssuer): Promise<CheckedIssuer> {
  const shared = { id: issuer.id, warnings: warningsOf(issuer) };
  try {
    const { keys } = await fetchKeys(issuer.keys);
    return { ...shared, keys: keys.length, problem: keys.length === 0 ? 'there is no key' : null };
  } catch (error) {
    return { ...shared, keys: null, problem: messageOf(error) };
  }
}

/** Where repositories carry ids inside `sub`: a pattern on their name fits none of those that are new or renamed. */
const repositoryIssuer = 'https://token.actions.githubusercontent.com';

function warningsOf({ issuer, policies }: WorkloadIssuer): readonly string[] {
  return policies.flatMap(({ id, conditions, subject }) => {
    const subjects = (conditions.sub ?? []).filter((one) => typeof one === 'string');
    const byName = issuer === repositoryIssuer && subjects.some((one) => /^repo:[^@]+\//.test(one));
    const passing = subject.find((name) => ['jti', 'run_id', 'run_attempt', 'exp', 'iat'].includes(name));
    return [
      ...(byName
        ? [
            `policy "${id}": sub of newer repositories holds ids (repo:o@1/r@2:…); match repository_id, ref and environment instead`,
          ]
        : []),
      ...(passing === undefined
        ? []
        : [
            `policy "${id}": ${passing} differs in every run, so every run gets a key of its own; choose a claim that stays`,
          ]),
    ];
  });
}
