import { clientAddress } from '../../edge/client-address.ts';
import { apiBase } from '../../edge/paths.ts';
import { sendPieces } from '../../edge/send-pieces.ts';
import { keyActor } from '../../operations/actor.ts';
import { exportCalls } from '../../operations/usage/export-calls.ts';
import type { ListedCall } from '../../operations/usage/merge-calls.ts';
import { createQueryReader } from '../../schema/read-query.ts';
import { csvRow, csvStart } from '../../util/csv.ts';
import { type Static, Type, text, word } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { refuseNul } from '../refuse-nul.ts';
import { showCall } from '../reports/show-call.ts';
import { keyNames } from '../reports/usage-labels.ts';
import { plainRow } from '../row.ts';
import { CallRow } from '../schemas/usage.ts';
import { listFilters, readListFilters } from './call-filters.ts';

const Query = Type.Object({ ...listFilters, format: word(['csv', 'jsonl'], { default: 'csv' }) });
const readQuery = createQueryReader(Query);

type Format = 'csv' | 'jsonl';
const types: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** The list of calls as a file (docs/spec/dashboard.md#files). */
export const usageExportRow = plainRow(
  {
    access: 'key',
    method: 'GET',
    path: `${apiBase}/generations/export`,
    id: 'exportGenerations',
    summary: 'All calls of a list as one file: CSV, or a line of JSON each; a key of inference gets its own',
    query: Query,
    answer: text(),
    mediaType: types.csv,
    failures: ['platform_rate_limit'],
  },
  async (call, services) => {
    refuseNul(call);
    const { caller, arrival, reply } = call;
    const { format, ...query } = readQuery(call.query);
    const { server } = services.config;
    const actor = keyActor(caller, clientAddress(arrival, server.trustProxy), call.id);
    const end = services.runningExports.begin(caller);
    try {
      const calls = exportCalls(actor, readListFilters(query, services.clock.now()), services);
      const pieces = piecesOf(calls, format, services);
      const file = { type: types[format], name: `requests.${format}`, pieces };
      await sendPieces(reply, file, server.sendTimeout);
    } finally {
      end();
    }
    return undefined;
  },
);

const columns = Object.keys(CallRow.properties ?? {}) as (keyof Static<typeof CallRow>)[];

/** Nothing before the first page is there: until then the request can still be refused. */
async function* piecesOf(
  pages: AsyncGenerator<readonly ListedCall[]>,
  format: Format,
  services: InterfaceServices,
): AsyncGenerator<string> {
  const catalogue = services.catalogue();
  const names = new Map<string, string>();
  let head = format === 'csv' ? csvStart + csvRow(columns) : '';
  for await (const calls of pages) {
    const unknown = calls.map(({ generation }) => generation.keyHash).filter((hash) => !names.has(hash));
    const known = await keyNames(unknown, services);
    // Keys that were deleted have no name, and are not asked for again.
    for (const hash of unknown) names.set(hash, known.get(hash) ?? hash.slice(0, 8));
    const rows = calls.map((call) => showCall(call, catalogue, names));
    const lines = rows.map((row) =>
      format === 'csv' ? csvRow(columns.map((column) => row[column])) : `${JSON.stringify(row)}\n`,
    );
    yield head + lines.join('');
    head = '';
  }
  if (head !== '') yield head;
}
