import {
  type BuiltinFilter,
  builtinSlugs,
  type CustomFilter,
  type GuardrailRules,
  plainRules,
} from '../core/guardrail.ts';
import { list, type Static, Type, text, word } from '../util/json-schema.ts';

const closed = { additionalProperties: false } as const;
const actions = ['block', 'redact', 'flag'] as const;

/** A filter of the owner's own. */
export const customFilterMembers = {
  pattern: text({
    minLength: 1,
    description:
      'A regular expression in the JavaScript flavour, without look-around, back-references and nested repetitions',
  }),
  action: word(actions, { description: 'What happens to what it matches' }),
  label: Type.Optional(
    text({
      minLength: 1,
      maxLength: 100,
      description: 'Named in refusals, and written in place of redacted text',
    }),
  ),
} as const;

/** A detector that is built in. */
export const builtinFilterMembers = {
  slug: word(builtinSlugs, { description: 'Which detector' }),
  action: word(actions, { description: 'What happens to what it finds' }),
  scan_scope: Type.Optional(
    word(['all_messages', 'user_only'], {
      description: 'Of regex-prompt-injection: which texts it reads; all_messages where left out',
    }),
  ),
} as const;

/** The rules of a guardrail as JSON and the configuration write them (docs/spec/guardrails.md#object). */
export const guardrailMembers = {
  mode: Type.Optional(
    word(['enforce', 'observe'], {
      description: 'observe reports what the guardrail would have done; enforce where left out',
    }),
  ),
  content_filters: Type.Optional(
    list(Type.Object(customFilterMembers, closed), { maxItems: 1_000, description: 'Patterns of your own' }),
  ),
  content_filter_builtins: Type.Optional(
    list(Type.Object(builtinFilterMembers, closed), {
      maxItems: 64,
      description: 'Detectors that are built in',
    }),
  ),
} as const;

type Written<Members> = { readonly [Name in keyof Members]?: Static<Members[Name]> | null | undefined };

/** Rules as they are written, each member absent or null where nothing is set. */
export type WrittenRules = Written<typeof guardrailMembers>;

/** The rules that written ones state. */
export function readGuardrailRules(written: WrittenRules): GuardrailRules {
  return {
    ...plainRules,
    mode: written.mode ?? 'enforce',
    contentFilters: written.content_filters?.map(readCustom) ?? null,
    contentFilterBuiltins: written.content_filter_builtins?.map(readBuiltin) ?? null,
  };
}

interface WrittenCustom extends Omit<CustomFilter, 'label'> {
  readonly label?: string | null | undefined;
}

function readCustom({ pattern, action, label }: WrittenCustom): CustomFilter {
  return label === undefined || label === null ? { pattern, action } : { pattern, action, label };
}

interface WrittenBuiltin extends Pick<BuiltinFilter, 'slug' | 'action'> {
  readonly scan_scope?: BuiltinFilter['scanScope'] | null;
}

function readBuiltin({ slug, action, scan_scope: scanScope }: WrittenBuiltin): BuiltinFilter {
  return scanScope === undefined || scanScope === null ? { slug, action } : { slug, action, scanScope };
}
