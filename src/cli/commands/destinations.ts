import type { Command } from 'commander';
import { deleteDestination, listDestinations } from '../../management/destinations/destinations.ts';
import { showDestination } from '../../management/destinations/show.ts';
import type { Destination } from '../../ports/destinations.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { CommandContext } from '../context.ts';
import { formatTable, visible } from '../format-table.ts';
import { operatorFor, withAccount } from '../operator-for.ts';

const columns = [
  { heading: 'ID' },
  { heading: 'TYPE' },
  { heading: 'NAME' },
  { heading: 'STATE' },
  { heading: 'STATUS', align: 'right' },
  { heading: 'LAST SUCCESS' },
] as const;

const mostListed = 1_000;

/** `destinations list` and `delete`. */
export function addDestinationCommands(program: Command, context: CommandContext): void {
  const destinations = withAccount(
    program.command('destinations').description('where workspaces have their traces sent'),
  );
  destinations
    .command('list')
    .description('list destinations and how sending to them goes')
    .option('--workspace <id>', 'id or slug of the workspace; by default all of the account')
    .action(({ workspace }: { readonly workspace?: string }) =>
      context.withStorage(async (services) => {
        const query = { workspace, offset: 0, limit: mostListed };
        const { destinations: found } = await listDestinations(operatorFor(destinations), query, services);
        const listed: { readonly one: Destination; readonly broadcasts: boolean }[] = [];
        for (const one of found) {
          const of = await services.storage.workspaces.find(one.accountId, one.workspaceId);
          listed.push({ one, broadcasts: of?.broadcast === true });
        }
        const shown = listed.map(({ one, broadcasts }) => ({
          ...showDestination(one),
          workspace_broadcasts: broadcasts,
        }));
        context.answer(
          { destinations: shown },
          formatTable(
            columns,
            listed.map(({ one, broadcasts }) => rowOf(one, broadcasts)),
          ),
        );
      }),
    );
  destinations
    .command('delete')
    .description('delete a destination and its secrets')
    .argument('<id>')
    .action((id: string) =>
      context.withStorage(async (services) => {
        const deleted = await deleteDestination(operatorFor(destinations), id, services);
        context.answer({ deleted: true }, `Deleted "${visible(deleted.name)}".\n`);
      }),
    );
}

/** @param broadcasts Whether its workspace lets traces be sent; without that a destination gets none. */
function rowOf({ id, type, name, enabled, health }: Destination, broadcasts: boolean): readonly string[] {
  const { state = 'nothing sent', status, succeededAt } = health ?? {};
  return [
    id,
    type,
    visible(name),
    enabled ? (broadcasts ? state : 'off for its workspace') : 'off',
    status === undefined ? '' : String(status),
    succeededAt === undefined ? '' : isoTime(succeededAt),
  ];
}
