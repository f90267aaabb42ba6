import { clientAddress } from '../../edge/client-address.ts';
import { apiBase } from '../../edge/paths.ts';
import { sendPieces } from '../../edge/send-pieces.ts';
import { keyActor } from '../../operations/actor.ts';
import { exportLedger } from '../../operations/credits/export-ledger.ts';
import { createQueryReader } from '../../schema/read-query.ts';
import { Type, text, word } from '../../util/json-schema.ts';
import { refuseNul } from '../refuse-nul.ts';
import { ledgerFile, mediaTypes } from '../reports/ledger-file.ts';
import { withRole } from '../require-operator.ts';
import { plainRow, type Row } from '../row.ts';
import { movementTypes } from './ledger.ts';
import { one } from './management-parts.ts';

const maybe = Type.Optional;
const Query = Type.Object({
  format: word(['csv', 'jsonl'], { default: 'csv' }),
  type: maybe(word(movementTypes)),
  account_id: maybe(text({ description: 'Another account; only for operators' })),
});
const readQuery = createQueryReader(Query);

/** Movements of credits as a file (docs/spec/dashboard.md#files). */
export const ledgerExportRow: Row = plainRow(
  {
    ...one,
    method: 'GET',
    path: `${apiBase}/ledger/export`,
    id: 'exportLedger',
    summary: 'All movements of credits besides charges as one file: CSV, or a line of JSON each',
    query: Query,
    answer: text(),
    mediaType: mediaTypes.csv,
    failures: ['not_found', 'platform_rate_limit'],
  },
  async (call, services) => {
    refuseNul(call);
    const { caller, arrival, id, reply } = call;
    const { format, type, account_id: account } = readQuery(call.query);
    const { trustProxy, sendTimeout } = services.config.server;
    const actor = await withRole(keyActor(caller, clientAddress(arrival, trustProxy), id), services);
    const end = services.runningExports.begin(caller);
    try {
      const pieces = ledgerFile(format, exportLedger(actor, { account, type }, services));
      await sendPieces(reply, { type: mediaTypes[format], name: `ledger.${format}`, pieces }, sendTimeout);
    } finally {
      end();
    }
    return undefined;
  },
);
