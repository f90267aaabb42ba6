import type { AuditEntry } from '../../core/audit-entry.ts';
import { apiBase } from '../../edge/route.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { choice, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { exportRow } from '../export-row.ts';
import { limit, managed, moment } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { exportAudit, listAudit } from './audit.ts';

const fields = Type.Unsafe<{ readonly [name: string]: unknown }>({ type: 'object' });

/** An entry of the audit log. */
const AuditEntrySchema = named(
  'AuditEntry',
  Type.Object({
    id: text(),
    account_id: orNull(text()),
    seq: integer(),
    at: text(),
    actor: Type.Object({
      type: choice('management_key', 'inference_key', 'workload', 'command', 'system', 'anonymous'),
      key_hash: orNull(text()),
      key_label: orNull(text()),
      user_id: orNull(text()),
      address: orNull(text()),
    }),
    action: text(),
    object: Type.Object({ type: text(), id: orNull(text()), workspace_id: orNull(text()) }),
    outcome: choice('ok', 'refused'),
    reason: orNull(text()),
    before: orNull(fields),
    after: orNull(fields),
    request_id: orNull(text()),
    previous: text(),
    hash: text(),
  }),
);

/** A page of the audit log. `next` is the cursor of the following page. */
const AuditList = named('AuditList', Type.Object({ data: list(AuditEntrySchema), next: orNull(text()) }));

const cursor = withUnit(unit('cursor', 'the "next" of a page', readCursor), text());

const filters = {
  from: Type.Optional(moment),
  to: Type.Optional(moment),
  action: Type.Optional(text()),
  object_type: Type.Optional(text()),
  object_id: Type.Optional(text()),
  actor: Type.Optional(text({ description: 'The hash of a key, or a type of actor without key' })),
  outcome: Type.Optional(choice('ok', 'refused')),
};

/** The audit log of an account (docs/spec/accounts.md#audit-log). Nothing writes or deletes it. */
export const auditRows: readonly Row[] = [
  jsonRow({
    ...managed('audit'),
    method: 'GET',
    path: `${apiBase}/audit`,
    id: 'listAudit',
    summary: 'Who changed what, and what was refused, newest first',
    query: Type.Object({ cursor: Type.Optional(cursor), limit, ...filters }),
    answer: AuditList,
    handle: async ({ actor, query }, services) => {
      const { cursor: before, object_type: objectType, object_id: objectId, ...rest } = query;
      const { entries, next } = await listAudit(actor, { ...rest, before, objectType, objectId }, services);
      return { data: entries, next: next === null ? null : String(next) };
    },
  }),
  exportRow({
    ...managed('audit'),
    path: `${apiBase}/audit/export`,
    id: 'exportAudit',
    summary: 'All entries of the audit log that the filters leave, as one file: CSV, or a line of JSON each',
    name: 'audit',
    query: Type.Object(filters),
    columns: [
      'at',
      'seq',
      'id',
      'actor_type',
      'actor_key_label',
      'actor_key_hash',
      'actor_user_id',
      'actor_address',
      'action',
      'object_type',
      'object_id',
      'workspace_id',
      'outcome',
      'reason',
      'before',
      'after',
      'request_id',
      'hash',
    ],
    cells: ({ actor, object, ...entry }: AuditEntry) => [
      entry.at,
      entry.seq,
      entry.id,
      actor.type,
      actor.key_label,
      actor.key_hash,
      actor.user_id,
      actor.address,
      entry.action,
      object.type,
      object.id,
      object.workspace_id,
      entry.outcome,
      entry.reason,
      entry.before && JSON.stringify(entry.before),
      entry.after && JSON.stringify(entry.after),
      entry.request_id,
      entry.hash,
    ],
    pages: ({ actor, query }, services) => {
      const { object_type: objectType, object_id: objectId, ...rest } = query;
      return exportAudit(actor, { ...rest, objectType, objectId }, services);
    },
  }),
];

/** The place in the chain that a cursor stands for. */
function readCursor(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new RangeError('is no cursor');
  return Number(text);
}
