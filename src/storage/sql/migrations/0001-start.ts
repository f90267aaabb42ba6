import type { SchemaDialect } from '../schema-dialect.ts';

/** The schema of the first release. Optional settings that are read whole are JSON texts: another one needs no migration. */
export function startOfSchema(dialect: SchemaDialect): readonly string[] {
  return [
    ...accounts(dialect),
    ...keys(dialect),
    ...calls(dialect),
    ...money(dialect),
    ...sumsOfCalls(dialect),
    ...sumsByDay(dialect),
    ...foldedSums(dialect),
    ...credentials(dialect),
    ...guardrails(dialect),
    ...membersAndPresets(dialect),
    ...files(dialect),
    ...dashboard(dialect),
    ...operation(dialect),
  ];
}

function accounts({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table accounts (
      id ${text} primary key not null, name ${text} not null, kind ${text} not null, billing_mode ${text} not null,
      free_limit_exempt ${integer} not null, inflight_exempt ${integer} not null, zero_retention ${integer} not null,
      disabled ${integer} not null, default_workspace_id ${text}, created_at ${integer} not null,
      privacy ${text} not null default '{}', rates ${text} not null default '{}',
      plugin_defaults ${text} not null default '{}'
    ) ${tableEnd}`,
    `create table workspaces (
      id ${text} primary key not null, account_id ${text} not null references accounts (id), name ${text} not null,
      slug ${text} not null, created_at ${integer} not null, settings ${text} not null default '{}', created_by ${text},
      updated_at ${integer}, include_byok_in_budgets ${integer} not null default 0,
      unique (account_id, slug)
    ) ${tableEnd}`,
    `create table workspace_budgets (
      id ${text} primary key not null, workspace_id ${text} not null, period ${text} not null,
      limit_amount ${integer} not null, created_at ${integer} not null, updated_at ${integer} not null,
      unique (workspace_id, period)
    ) ${tableEnd}`,
  ];
}

function keys({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table api_keys (
      hash ${text} primary key not null, account_id ${text} not null references accounts (id), workspace_id ${text},
      kind ${text} not null, name ${text} not null, label ${text} not null, disabled ${integer} not null,
      limit_amount ${integer}, limit_reset ${text}, include_byok_in_limit ${integer} not null, expires_at ${integer},
      creator_user_id ${text}, external_user ${text}, external_key_hash ${text}, created_at ${integer} not null,
      updated_at ${integer}, deleted_at ${integer}, settings ${text} not null default '{}', secrets ${text}
    ) ${tableEnd}`,
    'create index api_keys_by_account on api_keys (account_id, created_at)',
    // What a member or the keys of a workspace spent together.
    'create index api_keys_by_creator on api_keys (account_id, creator_user_id)',
    'create index api_keys_by_workspace on api_keys (workspace_id)',
    // Where to find a rotated key by each of its secrets but the first.
    `create table key_secrets (hash ${text} primary key not null, key_hash ${text} not null) ${tableEnd}`,
    'create index key_secrets_by_key on key_secrets (key_hash)',
  ];
}

/** No foreign keys here: a charge must be booked even when its key or account is unknown to this database. */
function calls({ integer, text, tableEnd, keepsDailyUsage }: SchemaDialect): readonly string[] {
  // As text, because the JSON types of PostgreSQL refuse characters that texts of clients may hold. A quote inside of a
  // text is escaped, so only a member can look like this.
  const position = keepsDailyUsage ? 'strpos' : 'instr';
  return [
    `create table generations (
      id ${text} primary key not null, account_id ${text} not null, key_hash ${text} not null, workspace_id ${text},
      created_at ${integer} not null, settled_at ${integer} not null, requested_model ${text} not null, model ${text},
      provider ${text}, endpoint_tag ${text}, is_byok ${integer} not null, input_tokens ${integer},
      output_tokens ${integer}, reasoning_tokens ${integer}, cost ${integer} not null, list_cost ${integer} not null,
      details ${text} not null, cached_tokens ${integer}, request_id ${text}
    ) ${tableEnd}`,
    // The only one of all rows: every index costs each settlement, one by key (all over the place) as much as all the rest.
    'create index generations_by_account on generations (account_id, settled_at)',
    // Further turns of a request, calls whose models routers chose, and lapsed ones: few beside all calls.
    'create index generations_by_request on generations (request_id) where request_id is not null',
    `create index generations_by_router on generations (settled_at) where ${position}(details, '"routedBy":') > 0`,
    `create index generations_lapsed on generations (account_id, settled_at) where details like '{"lapsed":true%'`,
    // Charge lines that the database refused, by generation id, until it accepts them.
    `create table held_charges (id ${text} primary key not null, line ${text} not null) ${tableEnd}`,
    // Requests that were turned away (`refused` is 1, `details` is their record), and how calls were routed.
    `create table call_notes (
      id ${text} not null primary key, account_id ${text} not null, at ${integer} not null, refused ${integer} not null,
      key_hash ${text} not null, workspace_id ${text}, model ${text} not null, error_type ${text} not null,
      details ${text} not null, note ${text} not null
    ) ${tableEnd}`,
    'create index call_notes_by_account on call_notes (account_id, refused, at, id)',
    'create index call_notes_by_time on call_notes (at)',
  ];
}

/** Room beside counters, so that writing them anew touches no index. */
const roomy = ({ tableEnd, keepsDailyUsage }: SchemaDialect) =>
  keepsDailyUsage ? 'with (fillfactor = 70)' : tableEnd;

/** The same, where rows that have one key need no row number of their own. */
const keyed = (dialect: SchemaDialect) =>
  dialect.keepsDailyUsage ? roomy(dialect) : `${dialect.tableEnd}, without rowid`;

function money(dialect: SchemaDialect): readonly string[] {
  const { integer, text, tableEnd } = dialect;
  return [
    // position counts the entries of an account; spent_before is what had been charged to it by then.
    `create table ledger_entries (
      id ${text} primary key not null, account_id ${text} not null references accounts (id), position ${integer} not null,
      spent_before ${integer} not null, type ${text} not null, amount ${integer} not null, fee ${integer} not null,
      counts_as_purchase ${integer} not null, expires_at ${integer}, external_ref ${text}, related_id ${text},
      note ${text}, created_by ${text}, created_at ${integer} not null,
      unique (account_id, position), unique (account_id, external_ref)
    ) ${tableEnd}`,
    // next_expiry is when the next credit expires that may have anything left of it.
    `create table account_totals (
      account_id ${text} primary key not null, entry_count ${integer} not null default 0,
      entries_total ${integer} not null default 0, charges_total ${integer} not null default 0,
      purchased_total ${integer} not null default 0, next_expiry ${integer}
    ) ${roomy(dialect)}`,
    `create table key_totals (
      key_hash ${text} primary key not null, charge ${integer} not null, byok ${integer} not null, last_used_at ${integer}
    ) ${roomy(dialect)}`,
    `create table key_spend (
      key_hash ${text} not null, day ${integer} not null, charge ${integer} not null, byok ${integer} not null,
      primary key (key_hash, day)
    ) ${roomy(dialect)}`,
    // Kept while a rule of the calendar has a zone other than UTC.
    `create table key_spend_quarters (
      key_hash ${text} not null, quarter ${integer} not null, charge ${integer} not null, byok ${integer} not null,
      primary key (key_hash, quarter)
    ) ${keyed(dialect)}`,
    // Where days and weeks of limits begin, each rule with the moment it was set.
    `create table limit_calendar (
      number ${integer} primary key not null, since ${integer} not null, time_zone ${text} not null,
      week_start ${text} not null
    ) ${tableEnd}`,
    // month counts from the year 0: year * 12 + month, January 0.
    `create table byok_months (
      account_id ${text} not null, month ${integer} not null, list_cost ${integer} not null,
      primary key (account_id, month)
    ) ${roomy(dialect)}`,
  ];
}

/** What the dashboard reads: sums by quarter of an hour and by UTC day (`span`, in minutes; `start` counts them from 1970). */
function sumsOfCalls(dialect: SchemaDialect): readonly string[] {
  const { integer, text, tableEnd } = dialect;
  return [
    `create table usage_sums (
      account_id ${text} not null, span ${integer} not null, start ${integer} not null,
      key_hash ${text} not null, workspace_id ${text} not null, model ${text} not null, provider ${text} not null,
      endpoint_tag ${text} not null, error_type ${text} not null,
      requests ${integer} not null, failed ${integer} not null, cancelled ${integer} not null,
      fallbacks ${integer} not null, streamed ${integer} not null, own ${integer} not null,
      unpriced ${integer} not null, estimated ${integer} not null,
      input_tokens ${integer} not null, cached_tokens ${integer} not null, output_tokens ${integer} not null,
      reasoning_tokens ${integer} not null, cost ${integer} not null, list_cost ${integer} not null,
      byok_cost ${integer} not null,
      primary key (account_id, span, start, key_hash, workspace_id, model, provider, endpoint_tag, error_type)
    ) ${keyed(dialect)}`,
    // Answers given from the cache are no calls and have no records. workspace_id is empty for keys of none.
    `create table cached_hits (
      account_id ${text} not null, start ${integer} not null, key_hash ${text} not null, model ${text} not null,
      workspace_id ${text} not null, hits ${integer} not null, saved ${integer} not null,
      primary key (account_id, start, key_hash, model)
    ) ${tableEnd}`,
    'create index cached_hits_by_start on cached_hits (start)',
  ];
}

/** Sums of calls by day, in an engine that is meant for more calls than a report can read one by one. */
function sumsByDay(dialect: SchemaDialect): readonly string[] {
  const { integer, text, keepsDailyUsage } = dialect;
  if (!keepsDailyUsage) return [];
  return [
    // Text that is not known is empty. requested_model is kept where no model was reached.
    `create table daily_usage (
      account_id ${text} not null, day ${integer} not null, key_hash ${text} not null, workspace_id ${text} not null,
      model ${text} not null, requested_model ${text} not null, provider ${text} not null,
      endpoint_tag ${text} not null, requests ${integer} not null, input_tokens ${integer} not null,
      cached_tokens ${integer} not null, output_tokens ${integer} not null, reasoning_tokens ${integer} not null,
      cost ${integer} not null, byok_cost ${integer} not null,
      primary key (account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag)
    ) ${roomy(dialect)}`,
    // Some days among those of years: a planner passes over a smaller index, which says nothing of where rows lie.
    'create index daily_usage_by_day on daily_usage (day)',
    // Slot 1: the first day whose calls are all still there one by one; 2: the day before which none is. No row: all are.
    `create table kept_calls (slot ${integer} primary key not null, first_day ${integer} not null)`,
    // Costs a write next to nothing, and finds what lies between two moments by its place in the file.
    'create index generations_by_time on generations using brin (settled_at) with (autosummarize = on)',
  ];
}

/**
 * Where the sums of calls end, in an engine that adds to them later than it books (decision 49): the last row of
 * `generations` that is in them, and rows before it that became true charges since.
 */
function foldedSums({ integer, keepsDailyUsage, tableEnd }: SchemaDialect): readonly string[] {
  if (keepsDailyUsage) return [];
  return [
    `create table usage_folded (slot ${integer} primary key not null, last_row ${integer} not null) ${tableEnd}`,
    'insert into usage_folded (slot, last_row) values (1, 0)',
    `create table usage_late (row_id ${integer} primary key not null) ${tableEnd}`,
    `create trigger usage_late_rows after update on generations
      when old.details like '{"lapsed":true%' and new.rowid <= (select last_row from usage_folded)
      begin insert or ignore into usage_late (row_id) values (new.rowid); end`,
  ];
}

function credentials({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    // Lists are JSON texts. A deleted row keeps its place in the ledger but neither ciphertext nor nonce.
    `create table provider_credentials (
      id ${text} primary key not null, account_id ${text} not null references accounts (id), workspace_id ${text},
      provider ${text} not null, name ${text}, label ${text} not null, disabled ${integer} not null,
      is_byok_only ${integer} not null, is_fallback ${integer} not null, is_required ${integer} not null,
      declared_zdr ${integer}, allowed_models ${text}, allowed_key_hashes ${text}, allowed_user_ids ${text},
      sort_order ${integer} not null, created_at ${integer} not null, ciphertext ${text}, nonce ${text},
      master_key_id ${text}, deleted_at ${integer}
    ) ${tableEnd}`,
    'create index provider_credentials_by_account on provider_credentials (account_id, provider, sort_order)',
    // One row: the master key that secrets are taken under.
    `create table master_key (slot ${integer} primary key not null, id ${text} not null) ${tableEnd}`,
  ];
}

function guardrails({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table guardrails (
      id ${text} primary key not null, account_id ${text} not null, workspace_id ${text}, is_default ${integer} not null,
      name ${text} not null, description ${text}, rules ${text} not null, created_at ${integer} not null,
      updated_at ${integer}
    ) ${tableEnd}`,
    'create index guardrails_by_workspace on guardrails (workspace_id)',
    `create table guardrail_assignments (
      id ${text} primary key not null, account_id ${text} not null, guardrail_id ${text} not null, kind ${text} not null,
      subject ${text} not null, assigned_by ${text}, created_at ${integer} not null,
      unique (account_id, kind, subject)
    ) ${tableEnd}`,
    'create index assignments_by_guardrail on guardrail_assignments (guardrail_id)',
    // Phrases that are no prompt injection.
    `create table allowed_phrases (
      id ${text} primary key not null, account_id ${text} not null, phrase ${text} not null, folded ${text} not null,
      created_at ${integer} not null, created_by ${text}, unique (account_id, folded)
    ) ${tableEnd}`,
    // How often filters were reported to be wrong, by Unix day.
    `create table false_positives (
      account_id ${text} not null, guardrail_id ${text} not null, filter ${text} not null, day ${integer} not null,
      reports ${integer} not null, primary key (account_id, guardrail_id, filter, day)
    ) ${tableEnd}`,
  ];
}

function membersAndPresets({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table members (
      account_id ${text} not null, user_id ${text} not null, email ${text} not null, first_name ${text},
      last_name ${text}, role ${text} not null, created_at ${integer} not null,
      primary key (account_id, user_id)
    ) ${tableEnd}`,
    `create table workspace_members (
      id ${text} primary key not null, account_id ${text} not null, workspace_id ${text} not null,
      user_id ${text} not null, created_at ${integer} not null, unique (workspace_id, user_id)
    ) ${tableEnd}`,
    // version is the one that requests get.
    `create table presets (
      id ${text} primary key not null, account_id ${text} not null, workspace_id ${text} not null,
      slug ${text} not null, name ${text} not null, description ${text}, status ${text} not null,
      status_updated_at ${integer}, creator_user_id ${text}, version ${integer} not null,
      created_at ${integer} not null, updated_at ${integer} not null,
      unique (workspace_id, slug)
    ) ${tableEnd}`,
    `create table preset_versions (
      preset_id ${text} not null, version ${integer} not null, id ${text} not null, creator_id ${text} not null,
      system_prompt ${text}, config ${text} not null, created_at ${integer} not null,
      primary key (preset_id, version)
    ) ${tableEnd}`,
  ];
}

/** Files of workspaces; their contents in pieces of base64, where no directory holds them. */
function files({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table files (
      id ${text} primary key not null, scope ${text} not null, account_id ${text} not null, workspace_id ${text},
      filename ${text} not null, mime_type ${text} not null, size ${integer} not null, hash ${text} not null,
      created_at ${integer} not null, expires_at ${integer}
    ) ${tableEnd}`,
    'create index files_by_time on files (scope, created_at, id)',
    'create index files_by_hash on files (scope, hash)',
    'create index files_by_expiry on files (expires_at)',
    `create table file_pieces (
      scope ${text} not null, hash ${text} not null, piece ${integer} not null, base64 ${text} not null,
      primary key (scope, hash, piece)
    ) ${tableEnd}`,
  ];
}

/** Sessions, and links that begin one. `key_hash` of a session is the first principal's. */
function dashboard({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table dashboard_sessions (
      id ${text} primary key not null, csrf ${text} not null, key_hash ${text} not null, principals ${text} not null,
      created_at ${integer} not null, used_at ${integer} not null, ends_at ${integer} not null,
      idle ${integer} not null, address ${text}, browser ${text} not null
    ) ${tableEnd}`,
    `create table dashboard_links (
      code_hash ${text} primary key not null, key_hash ${text} not null, expires_at ${integer} not null
    ) ${tableEnd}`,
  ];
}

function operation({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    // A chain of entries for each account, and one under the empty id for what belongs to no account. entry is what the
    // hash is made of; the other columns repeat parts of it for lists.
    `create table audit_chains (
      account_id ${text} primary key not null, seq ${integer} not null, hash ${text} not null
    ) ${tableEnd}`,
    `create table audit_entries (
      account_id ${text} not null, seq ${integer} not null, id ${text} not null, at ${integer} not null,
      action ${text} not null, object_type ${text} not null, object_id ${text}, actor ${text} not null,
      outcome ${text} not null, entry ${text} not null, hash ${text} not null,
      primary key (account_id, seq)
    ) ${tableEnd}`,
    'create index audit_entries_at on audit_entries (at)',
    // Once for each threshold of a subject within a window. due_at is null once it was delivered or given up.
    `create table alerts (
      id ${text} primary key not null, type ${text} not null, subject ${text} not null, threshold ${text} not null,
      period ${text} not null, body ${text} not null, created_at ${integer} not null, expires_at ${integer},
      attempts ${integer} not null, due_at ${integer}, delivered_at ${integer},
      unique (subject, threshold, period)
    ) ${tableEnd}`,
    'create index alerts_due on alerts (due_at) where due_at is not null',
    'create index alerts_newest on alerts (created_at)',
    // Work that goes on after the request that began it; of each kind one at a time.
    `create table jobs (
      id ${text} primary key not null, kind ${text} not null, state ${text} not null, done ${integer} not null,
      steps ${integer} not null, result ${text}, created_by ${text} not null, created_at ${integer} not null,
      updated_at ${integer} not null
    ) ${tableEnd}`,
    `create unique index jobs_running on jobs (kind) where state = 'running'`,
    // What the processes of an installation report of themselves every few seconds.
    `create table processes (
      id ${text} primary key not null, host ${text} not null, pid ${integer} not null, version ${text} not null,
      started_at ${integer} not null, seen_at ${integer} not null, format ${integer} not null, figures ${text} not null
    ) ${tableEnd}`,
  ];
}
