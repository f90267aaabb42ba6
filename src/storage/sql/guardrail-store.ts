import { randomUUID } from 'node:crypto';
import type {
  AllowedPhrase,
  AssigneeKind,
  Assigning,
  FalsePositives,
  GuardrailAssignment,
  GuardrailChange,
  GuardrailStore,
  NamedFilter,
  StoredGuardrail,
} from '../../ports/guardrails.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { type GuardrailRow, guardrailFromRow, rulesText } from './guardrail-row.ts';
import { sql } from './statement.ts';
import { flag } from './values.ts';
import { holdAccount, holdWorkspace } from './workspace-store.ts';

interface AssignmentRow {
  readonly id: string;
  readonly guardrail_id: string;
  readonly kind: AssigneeKind;
  readonly subject: string;
  readonly key_name: string | null;
  readonly key_label: string | null;
  readonly assigned_by: string | null;
  readonly created_at: bigint;
}

interface PhraseRow {
  readonly id: string;
  readonly phrase: string;
  readonly created_at: bigint;
  readonly created_by: string | null;
}

interface ReportedRow {
  readonly guardrail_id: string;
  readonly filter: string;
  readonly reports: bigint;
  readonly last_day: bigint;
}

/** How long reports of false positives are kept. */
const daysKept = 366;

/** Guardrails in any SQL engine (docs/spec/guardrails.md#object). */
export class SqlGuardrailStore implements GuardrailStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  create(guardrail: StoredGuardrail): Promise<void> {
    return this.#db.transaction(async (transaction) => {
      await holdWorkspace(transaction, guardrail);
      const { id, accountId, workspaceId, isDefault, name, description, createdAt, updatedAt } = guardrail;
      await transaction.change(sql`
        insert into guardrails (id, account_id, workspace_id, is_default, name, description, rules, created_at, updated_at)
        values (${id}, ${accountId}, ${workspaceId}, ${flag(isDefault)}, ${name}, ${description},
          ${rulesText(guardrail.rules)}, ${createdAt}, ${updatedAt})`);
    });
  }

  async find(accountId: string, id: string): Promise<StoredGuardrail | undefined> {
    const row = await findIn(this.#db, accountId, id);
    return row && guardrailFromRow(row);
  }

  list({ accountId, workspaceId, offset, limit }: Parameters<GuardrailStore['list']>[0]) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<GuardrailRow>(sql`
        select * from guardrails where account_id = ${accountId} and workspace_id = ${workspaceId}
        order by is_default desc, created_at, id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(sql`
        select count(*) as total from guardrails
        where account_id = ${accountId} and workspace_id = ${workspaceId}`);
      return { guardrails: rows.map(guardrailFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  update(
    accountId: string,
    id: string,
    change: (current: StoredGuardrail) => GuardrailChange,
    now: number,
  ): Promise<StoredGuardrail | undefined> {
    return this.#db.transaction(async (transaction) => {
      await holdAccount(transaction, accountId);
      const row = await findIn(transaction, accountId, id);
      if (row === undefined) return undefined;
      const current = guardrailFromRow(row);
      const next: StoredGuardrail = { ...current, ...change(current), updatedAt: now };
      await transaction.change(sql`
        update guardrails set name = ${next.name}, description = ${next.description},
          rules = ${rulesText(next.rules)}, updated_at = ${now}
        where id = ${id}`);
      return next;
    });
  }

  delete(accountId: string, id: string): Promise<boolean> {
    return this.#db.transaction(async (transaction) => {
      const deleted = await transaction.change(
        sql`delete from guardrails where account_id = ${accountId} and id = ${id}`,
      );
      if (deleted === 0) return false;
      await transaction.change(sql`delete from guardrail_assignments where guardrail_id = ${id}`);
      return true;
    });
  }

  assign({ accountId, guardrailId, kind, subjects }: Assigning, by: string | null, now: number) {
    return this.#db.transaction(async (transaction) => {
      await holdAccount(transaction, accountId);
      for (const subject of subjects) {
        await transaction.change(sql`
          insert into guardrail_assignments (id, account_id, guardrail_id, kind, subject, assigned_by, created_at)
          values (${randomUUID()}, ${accountId}, ${guardrailId}, ${kind}, ${subject}, ${by}, ${now})
          on conflict (account_id, kind, subject) do update set
            id = excluded.id, guardrail_id = excluded.guardrail_id, assigned_by = excluded.assigned_by,
            created_at = excluded.created_at
          where guardrail_assignments.guardrail_id <> excluded.guardrail_id`);
      }
    });
  }

  unassign({ accountId, guardrailId, kind, subjects }: Assigning): Promise<number> {
    return this.#db.transaction(async (transaction) => {
      let removed = 0;
      for (const subject of subjects) {
        removed += await transaction.change(sql`
          delete from guardrail_assignments where account_id = ${accountId}
            and guardrail_id = ${guardrailId} and kind = ${kind} and subject = ${subject}`);
      }
      return removed;
    });
  }

  assignments(query: Parameters<GuardrailStore['assignments']>[0]) {
    const { accountId, kind, guardrailId = null, offset, limit } = query;
    const chosen = sql`guardrail_assignments.account_id = ${accountId} and guardrail_assignments.kind = ${kind}
      and (cast(${guardrailId} as text) is null or guardrail_id = ${guardrailId})`;
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<AssignmentRow>(sql`
        select guardrail_assignments.*, api_keys.name as key_name, api_keys.label as key_label
        from guardrail_assignments
          left join api_keys on guardrail_assignments.kind = 'key' and api_keys.hash = subject
        where ${chosen}
        order by guardrail_assignments.created_at, guardrail_assignments.id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from guardrail_assignments where ${chosen}`,
      );
      return { assignments: rows.map(assignmentFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  async phrases(accountId: string): Promise<readonly AllowedPhrase[]> {
    const rows = await this.#db.rows<PhraseRow>(sql`
      select * from allowed_phrases where account_id = ${accountId} order by created_at, id`);
    return rows.map((row) => ({
      id: row.id,
      phrase: row.phrase,
      createdAt: Number(row.created_at),
      createdBy: row.created_by,
    }));
  }

  allow(accountId: string, { id, phrase, createdAt, createdBy }: AllowedPhrase, most: number) {
    return this.#db.transaction(async (transaction) => {
      await holdAccount(transaction, accountId);
      const folded = phrase.toLowerCase();
      const [known] = await transaction.rows<{ readonly there: bigint; readonly total: bigint }>(sql`
        select count(*) as total, coalesce(sum(case when folded = ${folded} then 1 else 0 end), 0) as there
        from allowed_phrases where account_id = ${accountId}`);
      if ((known?.there ?? 0n) > 0n) return 'is there already';
      if ((known?.total ?? 0n) >= BigInt(most)) return 'too many';
      await transaction.change(sql`
        insert into allowed_phrases (id, account_id, phrase, folded, created_at, created_by)
        values (${id}, ${accountId}, ${phrase}, ${folded}, ${createdAt}, ${createdBy})`);
      return undefined;
    });
  }

  async disallow(accountId: string, id: string): Promise<boolean> {
    const deleted = await this.#db.change(
      sql`delete from allowed_phrases where account_id = ${accountId} and id = ${id}`,
    );
    return deleted > 0;
  }

  countFalsePositive({ accountId, guardrailId, filter }: NamedFilter, day: number): Promise<void> {
    return this.#db.transaction(async (transaction) => {
      await transaction.change(sql`
        insert into false_positives (account_id, guardrail_id, filter, day, reports)
        values (${accountId}, ${guardrailId}, ${filter}, ${day}, 1)
        on conflict (account_id, guardrail_id, filter, day) do update set reports = false_positives.reports + 1`);
      await transaction.change(sql`
        delete from false_positives where account_id = ${accountId} and day <= ${day - daysKept}`);
    });
  }

  async falsePositives(accountId: string, since: number): Promise<readonly FalsePositives[]> {
    const rows = await this.#db.rows<ReportedRow>(sql`
      select guardrail_id, filter, cast(sum(reports) as bigint) as reports, max(day) as last_day from false_positives
      where account_id = ${accountId} and day >= ${since}
      group by guardrail_id, filter order by 3 desc, guardrail_id, filter`);
    return rows.map((row) => ({
      guardrailId: row.guardrail_id,
      filter: row.filter,
      reports: Number(row.reports),
      lastDay: Number(row.last_day),
    }));
  }
}

async function findIn(db: SqlConnection, accountId: string, id: string): Promise<GuardrailRow | undefined> {
  const [row] = await db.rows<GuardrailRow>(
    sql`select * from guardrails where account_id = ${accountId} and id = ${id}`,
  );
  return row;
}

function assignmentFromRow(row: AssignmentRow): GuardrailAssignment {
  return {
    id: row.id,
    guardrailId: row.guardrail_id,
    kind: row.kind,
    subject: row.subject,
    keyName: row.key_name ?? '',
    keyLabel: row.key_label ?? '',
    assignedBy: row.assigned_by,
    createdAt: Number(row.created_at),
  };
}
