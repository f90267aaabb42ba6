import { type Command, Option } from 'commander';
import type { AuditEntry } from '../../core/audit-entry.ts';
import { operator } from '../../management/actor.ts';
import { listAudit, readChains, type VerifiedChain, verifyAudit } from '../../management/audit/audit.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatTable } from '../format-table.ts';
import { parseCount, parseText, parseTime } from '../option-values.ts';

interface ListOptions {
  readonly account?: string;
  readonly limit: number;
  readonly from?: number;
  readonly to?: number;
  readonly action?: string;
  readonly objectType?: string;
  readonly objectId?: string;
  readonly actor?: string;
  readonly outcome?: 'ok' | 'refused';
}

const none = 'none';
const accountHelp = `of this account alone, or "${none}" for what belongs to none`;

/** `audit list`, `verify` and `export`. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('who changed what, and what was refused');
  addListCommand(audit, context);
  audit
    .command('verify')
    .description('compute every hash anew and name the first entry that was changed')
    .option('--account <id>', accountHelp, parseText)
    .action(({ account }: { account?: string }) => verify(chainOf(account), context));
  audit
    .command('export')
    .description('print all entries, oldest first, as one line of JSON each')
    .option('--account <id>', accountHelp, parseText)
    .action(({ account }: { account?: string }) =>
      context.withStorage(async (services) => {
        for await (const { text, hash } of readChains(operator, chainOf(account), services)) {
          context.environment.stdout(`${JSON.stringify({ ...JSON.parse(text), hash })}\n`);
        }
      }),
    );
}

function addListCommand(audit: Command, context: CommandContext): void {
  audit
    .command('list')
    .description('list entries, newest first')
    .option('--account <id>', accountHelp, parseText)
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--from <time>', 'from this moment', parseTime)
    .option('--to <time>', 'before this moment', parseTime)
    .option('--action <action>', 'of this action, such as key.create', parseText)
    .option('--object-type <type>', 'on objects of this type', parseText)
    .option('--object-id <id>', 'on this object', parseText)
    .option('--actor <actor>', 'by this key (its hash), or command, system, anonymous', parseText)
    .addOption(new Option('--outcome <outcome>', 'only what was done or refused').choices(['ok', 'refused']))
    .action(({ account, ...query }: ListOptions) =>
      context.withStorage(async (services) => {
        const page = await listAudit(operator, { ...query, accountId: chainOf(account) }, services);
        context.answer({ entries: page.entries }, formatTable(columns, page.entries.map(rowOf)));
      }),
    );
}

async function verify(accountId: string | null | undefined, context: CommandContext): Promise<void> {
  await context.withStorage(async (services) => {
    const chains = await verifyAudit(operator, accountId, services);
    const broken = chains.filter((chain) => chain.broken !== undefined);
    const entries = chains.reduce((sum, { intact }) => sum + intact, 0);
    context.answer(
      { chains: chains.map(showChain) },
      broken.length === 0
        ? `${entries} entries in ${chains.length} chain(s) are as they were written.\n`
        : '',
    );
    const [first] = broken;
    if (first?.broken === undefined) return;
    const { seq, id, fault } = first.broken;
    const others = broken.length > 1 ? `; ${broken.length - 1} more chain(s) are broken` : '';
    throw new CommandFailure(
      `the audit log of ${first.accountId ?? 'no account'} was changed: entry ${seq}${id === null ? '' : ` (${id})`}: ${fault}${others}`,
    );
  });
}

function showChain({ accountId, intact, hash, broken }: VerifiedChain) {
  return { account_id: accountId, intact, hash, broken: broken ?? null };
}

/** The chain an option names. */
function chainOf(account: string | undefined): string | null | undefined {
  return account === none ? null : account;
}

const columns = ['AT', 'ACTOR', 'ACTION', 'OBJECT', 'OUTCOME'].map((heading) => ({ heading }));

function rowOf({ at, actor, action, object, outcome, reason }: AuditEntry): readonly string[] {
  return [
    at,
    actor.key_label ?? actor.type,
    action,
    object.id ?? '-',
    reason === null ? outcome : `${outcome}: ${reason}`,
  ];
}
