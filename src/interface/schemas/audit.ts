import { choice, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';

const fields = Type.Unsafe<{ readonly [name: string]: unknown }>({ type: 'object' });

/** An entry of the audit log. */
export const AuditEntrySchema = named(
  'AuditEntry',
  Type.Object({
    id: text(),
    account_id: orNull(text()),
    seq: integer(),
    at: text(),
    actor: Type.Object({
      type: choice('management_key', 'inference_key', 'command', 'system', 'anonymous'),
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
export const AuditList = named(
  'AuditList',
  Type.Object({ data: list(AuditEntrySchema), next: orNull(text()) }),
);
