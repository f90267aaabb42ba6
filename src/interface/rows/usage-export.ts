import { apiBase } from '../../edge/paths.ts';
import { exportCalls } from '../../operations/usage/export-calls.ts';
import type { ListedCall } from '../../operations/usage/merge-calls.ts';
import { type Static, Type } from '../../util/json-schema.ts';
import { exportRow } from '../export-row.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { showCall } from '../reports/show-call.ts';
import { keyNames } from '../reports/usage-labels.ts';
import { CallRow } from '../schemas/usage.ts';
import { listFilters, readListFilters } from './call-filters.ts';

type Shown = Static<typeof CallRow>;

const columns = Object.keys(CallRow.properties ?? {}) as (keyof Shown)[];

/** The list of calls as a file. */
export const usageExportRow = exportRow({
  access: 'key',
  path: `${apiBase}/generations/export`,
  id: 'exportGenerations',
  summary: 'All calls of a list as one file: CSV, or a line of JSON each; a key of inference gets its own',
  name: 'requests',
  query: Type.Object(listFilters),
  columns,
  cells: (call: Shown) => columns.map((column) => call[column]),
  pages: ({ actor, query }, services) =>
    shownPages(exportCalls(actor, readListFilters(query, services.clock.now()), services), services),
});

async function* shownPages(
  pages: AsyncIterable<readonly ListedCall[]>,
  services: InterfaceServices,
): AsyncGenerator<readonly Shown[]> {
  const catalogue = services.catalogue();
  const names = new Map<string, string>();
  for await (const calls of pages) {
    const unknown = calls.map(({ generation }) => generation.keyHash).filter((hash) => !names.has(hash));
    const known = await keyNames(unknown, services);
    // Keys that were deleted have no name, and are not asked for again.
    for (const hash of unknown) names.set(hash, known.get(hash) ?? hash.slice(0, 8));
    yield calls.map((call) => showCall(call, catalogue, names));
  }
}
