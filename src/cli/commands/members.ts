import { type Command, Option } from 'commander';
import { operator } from '../../management/actor.ts';
import { addMember, listMembers, removeMember, showMember } from '../../management/members/members.ts';
import type { CommandContext } from '../context.ts';
import { formatTable } from '../format-table.ts';
import { parseText } from '../option-values.ts';

const columns = [{ heading: 'USER' }, { heading: 'EMAIL' }, { heading: 'NAME' }, { heading: 'ROLE' }];
const mostListed = 10_000;

interface AddOptions {
  readonly account?: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role: 'admin' | 'member';
}

/** `members list`, `add` and `remove`. */
export function addMemberCommands(program: Command, context: CommandContext): void {
  const members = program.command('members').description('people of an organization');
  const ofAccount = (command: Command) => command.option('--account <id>', 'the organization');
  ofAccount(members.command('list').description('list the members of an organization')).action(
    ({ account }: { readonly account?: string }) =>
      context.withStorage(async (services) => {
        const page = { offset: 0, limit: mostListed, ...(account !== undefined && { account }) };
        const shown = (await listMembers(operator, page, services)).members.map(showMember);
        const rows = shown.map((one) => [
          one.id,
          one.email,
          [one.first_name, one.last_name].filter(Boolean).join(' '),
          one.role,
        ]);
        context.answer({ members: shown }, formatTable(columns, rows));
      }),
  );
  ofAccount(
    members
      .command('add')
      .description('add a member: keys name it as their creator')
      .argument('<user>', 'the id of the user', parseText)
      .addOption(new Option('--email <address>', 'its address').argParser(parseText).makeOptionMandatory())
      .option('--first-name <name>', 'first name', parseText)
      .option('--last-name <name>', 'last name', parseText)
      .addOption(
        new Option('--role <role>', 'what it may do').choices(['admin', 'member']).default('member'),
      ),
  ).action((userId: string, { account, email, firstName, lastName, role }: AddOptions) =>
    context.withStorage(async (services) => {
      const input = {
        userId,
        email,
        firstName: firstName ?? null,
        lastName: lastName ?? null,
        role: role === 'admin' ? ('org:admin' as const) : ('org:member' as const),
        ...(account !== undefined && { account }),
      };
      const member = showMember(await addMember(operator, input, services));
      context.answer(member, `${member.id} is a member.\n`);
    }),
  );
  ofAccount(
    members.command('remove').description('remove a member; its keys stay').argument('<user>'),
  ).action((userId: string, { account }: { readonly account?: string }) =>
    context.withStorage(async (services) => {
      await removeMember(operator, { userId, ...(account !== undefined && { account }) }, services);
      context.answer({ deleted: true }, `${userId} is no member any more.\n`);
    }),
  );
}
