import type { Permission } from '../core/roles.ts';
import type { KeyedRoute } from '../edge/route.ts';
import { clientAddress } from '../http/client-address.ts';
import { sendPieces } from '../http/reply.ts';
import { createQueryReader } from '../schema/read-query.ts';
import { type CsvCell, csvRow, csvStart } from '../util/csv.ts';
import { type Static, type TSchema, Type, text, word } from '../util/json-schema.ts';
import { pacedGenerator } from '../waiting/paced-generator.ts';
import { type KeyActor, keyActor } from './actor.ts';
import type { InterfaceServices } from './interface-services.ts';
import { type Operation, plainRow, type Row, refuseNul } from './row.ts';

type Format = 'csv' | 'jsonl';

const mediaTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** A list that can be had as a file. */
interface ExportedList<Query extends TSchema, Shown> extends Omit<Operation, 'method' | 'answer' | 'query'> {
  readonly access: KeyedRoute['access'];
  readonly needs: Permission;
  /** Of the file, without its ending. */
  readonly name: string;
  readonly query: Query;
  /** The columns of CSV. */
  readonly columns: readonly string[];
  /** What they hold of one entry. */
  readonly cells: (shown: Shown) => readonly CsvCell[];
  /**
   * The entries as JSON lines show them, page by page.
   * @throws HeadgateError, before the first page, to refuse.
   */
  readonly pages: (
    asked: { readonly actor: KeyActor; readonly query: Static<Query> },
    services: InterfaceServices,
  ) => AsyncIterable<readonly Shown[]>;
}

/** A row that answers a whole list as one file: CSV, or a line of JSON each (docs/spec/dashboard.md#files). */
export function exportRow<Query extends TSchema, Shown>(list: ExportedList<Query, Shown>): Row {
  const { name, query, columns, cells, pages, failures = [], ...operation } = list;
  const withFormat = Type.Object({ ...query.properties, format: word(['csv', 'jsonl'], { default: 'csv' }) });
  const [readQuery, readFormat] = [createQueryReader(query), createQueryReader(withFormat)];
  return plainRow(
    {
      ...operation,
      method: 'GET',
      query: withFormat,
      answer: text(),
      mediaType: mediaTypes.csv,
      failures: failures === 'any' ? failures : [...failures, 'platform_rate_limit'],
    },
    async (call, services) => {
      refuseNul(call);
      const { caller, arrival, reply } = call;
      const { trustProxy, sendTimeout } = services.config.server;
      const asked = {
        actor: keyActor(caller, clientAddress(arrival, trustProxy), call.id),
        query: readQuery(call.query),
      };
      const { format } = readFormat(call.query) as { readonly format: Format };
      const end = services.runningExports.begin(caller, services.clock.now());
      try {
        const line =
          format === 'csv'
            ? (shown: Shown) => csvRow(cells(shown))
            : (shown: Shown) => `${JSON.stringify(shown)}\n`;
        const head = format === 'csv' ? csvStart + csvRow(columns) : '';
        const pieces = pacedGenerator(piecesOf(pages(asked, services), head, line));
        await sendPieces(reply, { type: mediaTypes[format], name: `${name}.${format}`, pieces }, sendTimeout);
      } finally {
        end();
      }
      return undefined;
    },
  );
}

/** Nothing before the first page is there: until then the request can still be refused. */
async function* piecesOf<Shown>(
  pages: AsyncIterable<readonly Shown[]>,
  head: string,
  line: (shown: Shown) => string,
): AsyncGenerator<string> {
  let first = head;
  for await (const page of pages) {
    yield first + page.map(line).join('');
    first = '';
  }
  if (first !== '') yield first;
}
