import {
  choice,
  flag,
  list,
  named,
  number,
  orNull,
  type Static,
  type TOptional,
  type TProperties,
  type TUnsafe,
  Type,
  text,
} from '../util/json-schema.ts';
import {
  builtinFilterMembers,
  customFilterMembers,
  guardrailMembers,
  mostFilters,
} from './guardrail-rules.ts';
import { spendLimit } from './spend-limit.ts';

const closed = { additionalProperties: false } as const;
const label = text({ maxLength: 100 });
const interval = orNull(choice('daily', 'weekly', 'monthly'));

/** Members of rules as they are written: null clears, what is absent stays. */
function clearable<Members extends TProperties>(members: Members) {
  const entries = Object.entries(members).map(([name, schema]) => [name, Type.Optional(orNull(schema))]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Members]: TOptional<TUnsafe<Static<Members[Name]> | null>>;
  };
}

const { content_filters: _own, content_filter_builtins: _builtin, ...plainMembers } = guardrailMembers;

const rules = {
  limit_usd: Type.Optional(orNull(spendLimit)),
  reset_interval: Type.Optional(interval),
  include_byok_in_budgets: Type.Optional(flag()),
  enforce_zdr: Type.Optional(
    orNull(
      flag({ description: 'Deprecated: for all groups of models that have no member of their own here' }),
    ),
  ),
  ...clearable(plainMembers),
  content_filters: Type.Optional(
    orNull(
      list(Type.Object({ ...customFilterMembers, label: Type.Optional(orNull(label)) }, closed), {
        maxItems: mostFilters,
      }),
    ),
  ),
  content_filter_builtins: Type.Optional(
    orNull(
      list(Type.Object({ ...builtinFilterMembers, label: Type.Optional(orNull(label)) }, closed), {
        maxItems: 64,
      }),
    ),
  ),
};
const members = { description: Type.Optional(orNull(text({ maxLength: 1_000 }))), ...rules };
const name = text({ minLength: 1, maxLength: 200 });

/** The rules of a guardrail that is tried before it is stored. */
export const GuardrailDraft = named('GuardrailDraft', Type.Object(rules, closed));

/** A guardrail in a file of the command line, whose name may be given apart. */
export const GuardrailFile = Type.Object({ name: Type.Optional(name), ...members }, closed);

/** The body of `POST /guardrails` (docs/spec/guardrails.md#object). */
export const CreateGuardrail = named(
  'CreateGuardrail',
  Type.Object({ name, workspace_id: Type.Optional(text()), ...members }, closed),
);

/** The body of `PATCH /guardrails/{id}`: absent is unchanged, null clears. */
export const UpdateGuardrail = named(
  'UpdateGuardrail',
  Type.Object({ name: Type.Optional(name), ...members }, closed),
);

const names = orNull(list(text()));
const choices = orNull(flag());

/** A guardrail as it is shown. */
export const GuardrailSchema = named(
  'Guardrail',
  Type.Object({
    id: text(),
    name: text(),
    description: orNull(text()),
    workspace_id: orNull(text()),
    limit_usd: orNull(number()),
    reset_interval: interval,
    include_byok_in_budgets: flag(),
    mode: choice('enforce', 'observe'),
    allowed_models: names,
    ignored_models: names,
    allowed_providers: names,
    ignored_providers: names,
    enforce_zdr: choices,
    enforce_zdr_anthropic: choices,
    enforce_zdr_openai: choices,
    enforce_zdr_google: choices,
    enforce_zdr_xai: choices,
    enforce_zdr_other: choices,
    enable_free_model_publication: choices,
    enable_free_model_training: choices,
    enable_paid_model_training: choices,
    content_filters: orNull(list(Type.Object({ ...customFilterMembers }))),
    content_filter_builtins: orNull(list(Type.Object({ ...builtinFilterMembers, label: text() }))),
    created_at: text(),
    updated_at: orNull(text()),
    source: Type.Optional(choice('file')),
  }),
);
