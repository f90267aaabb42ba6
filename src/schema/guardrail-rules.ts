import { builtinNames } from '../core/builtin-names.ts';
import {
  type BuiltinFilter,
  builtinSlugs,
  type CustomFilter,
  type GuardrailRules,
  plainRules,
} from '../core/guardrail.ts';
import { flag, list, type Static, Type, text, word } from '../util/json-schema.ts';

const closed = { additionalProperties: false } as const;
const actions = ['block', 'redact', 'flag'] as const;

/** Patterns of a guardrail. */
export const mostFilters = 256;

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

/** Groups of models by author, as they are written; models of all other authors are the group `other`. */
const retentionGroups = ['anthropic', 'openai', 'google', 'xai', 'other'] as const;
type RetentionGroup = (typeof retentionGroups)[number];

const names = (description: string) =>
  Type.Optional(list(text({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 1_000, description }));
const practice = (description: string) => Type.Optional(flag({ description }));
const retention = (whose: string) =>
  practice(`true: requests for ${whose} go only where nothing is retained`);

/** The rules of a guardrail as JSON and the configuration write them (docs/spec/guardrails.md#object). */
export const guardrailMembers = {
  mode: Type.Optional(
    word(['enforce', 'observe'], {
      description: 'observe reports what the guardrail would have done; enforce where left out',
    }),
  ),
  content_filters: Type.Optional(
    list(Type.Object(customFilterMembers, closed), {
      maxItems: mostFilters,
      description: 'Patterns of your own',
    }),
  ),
  content_filter_builtins: Type.Optional(
    list(Type.Object(builtinFilterMembers, closed), {
      maxItems: 64,
      description: 'Detectors that are built in',
    }),
  ),
  allowed_models: names('The only models, by slug'),
  ignored_models: names('Models that are not used, by slug'),
  allowed_providers: names('The only providers, by slug'),
  ignored_providers: names('Providers that are not used, by slug'),
  enable_free_model_publication: practice('false: no free endpoint that publishes prompts'),
  enable_free_model_training: practice('false: no free endpoint that trains on prompts'),
  enable_paid_model_training: practice('false: no paid endpoint that trains on prompts'),
  enforce_zdr_anthropic: retention('models of Anthropic'),
  enforce_zdr_openai: retention('models of OpenAI'),
  enforce_zdr_google: retention('models of Google'),
  enforce_zdr_xai: retention('models of xAI'),
  enforce_zdr_other: retention('all other models'),
} as const;

type Written<Members> = { readonly [Name in keyof Members]?: Static<Members[Name]> | null | undefined };

/** Rules as they are written, each member absent or null where nothing is set. */
export type WrittenRules = Omit<Written<typeof guardrailMembers>, 'content_filters'> & {
  readonly content_filters?: readonly WrittenCustom[] | null | undefined;
};

/** The rules that written ones state. */
export function readGuardrailRules(written: WrittenRules): GuardrailRules {
  return changeGuardrailRules({ ...plainRules, zeroRetention: noRetentionRules }, written);
}

const noRetentionRules = Object.fromEntries(retentionGroups.map((group) => [group, null]));

/** Rules after a change: lists are replaced whole, null clears, what is absent stays. */
export function changeGuardrailRules(current: GuardrailRules, written: WrittenRules): GuardrailRules {
  const changed = <Value>(value: Value | null | undefined, before: Value | null) =>
    value === undefined ? before : value;
  const list = (names: readonly string[] | null | undefined, before: readonly string[] | null) =>
    names === undefined ? before : (names?.map((name) => name.toLowerCase()) ?? null);
  return {
    ...current,
    mode: written.mode === undefined ? current.mode : (written.mode ?? 'enforce'),
    contentFilters: changed(written.content_filters?.map(readCustom), current.contentFilters),
    contentFilterBuiltins: changed(
      written.content_filter_builtins?.map(readBuiltin),
      current.contentFilterBuiltins,
    ),
    ...(written.content_filters === null && { contentFilters: null }),
    ...(written.content_filter_builtins === null && { contentFilterBuiltins: null }),
    allowedModels: list(written.allowed_models, current.allowedModels),
    ignoredModels: list(written.ignored_models, current.ignoredModels),
    allowedProviders: list(written.allowed_providers, current.allowedProviders),
    ignoredProviders: list(written.ignored_providers, current.ignoredProviders),
    enableFreeModelPublication: changed(
      written.enable_free_model_publication,
      current.enableFreeModelPublication,
    ),
    enableFreeModelTraining: changed(written.enable_free_model_training, current.enableFreeModelTraining),
    enablePaidModelTraining: changed(written.enable_paid_model_training, current.enablePaidModelTraining),
    zeroRetention: Object.fromEntries(
      retentionGroups.map((group) => [
        group,
        changed(written[`enforce_zdr_${group}`], current.zeroRetention[group] ?? null),
      ]),
    ),
  };
}

/** The same for all groups that are not written by themselves (`enforce_zdr`, which is deprecated). */
export function spreadZeroRetention(written: WrittenRules, forAll: boolean | null): WrittenRules {
  const missing = retentionGroups.filter((group) => written[`enforce_zdr_${group}`] === undefined);
  return { ...written, ...Object.fromEntries(missing.map((group) => [`enforce_zdr_${group}`, forAll])) };
}

interface WrittenCustom extends Omit<CustomFilter, 'label'> {
  readonly label?: string | null | undefined;
}

function readCustom({ pattern, action, label }: WrittenCustom): CustomFilter {
  return !label ? { pattern, action } : { pattern, action, label };
}

interface WrittenBuiltin extends Pick<BuiltinFilter, 'slug' | 'action'> {
  readonly scan_scope?: BuiltinFilter['scanScope'] | null;
}

function readBuiltin({ slug, action, scan_scope: scanScope }: WrittenBuiltin): BuiltinFilter {
  return scanScope === undefined || scanScope === null ? { slug, action } : { slug, action, scanScope };
}

/** Rules as JSON writes them; members that a guardrail does not restrict are null. */
export function writeGuardrailRules(rules: GuardrailRules) {
  const ofGroup = (group: RetentionGroup) => rules.zeroRetention[group] ?? null;
  return {
    mode: rules.mode,
    allowed_models: rules.allowedModels,
    ignored_models: rules.ignoredModels,
    allowed_providers: rules.allowedProviders,
    ignored_providers: rules.ignoredProviders,
    enforce_zdr: zeroRetentionOfAll(rules),
    enforce_zdr_anthropic: ofGroup('anthropic'),
    enforce_zdr_openai: ofGroup('openai'),
    enforce_zdr_google: ofGroup('google'),
    enforce_zdr_xai: ofGroup('xai'),
    enforce_zdr_other: ofGroup('other'),
    enable_free_model_publication: rules.enableFreeModelPublication,
    enable_free_model_training: rules.enableFreeModelTraining,
    enable_paid_model_training: rules.enablePaidModelTraining,
    content_filters: rules.contentFilters,
    content_filter_builtins:
      rules.contentFilterBuiltins?.map(({ slug, action, scanScope }) => ({
        slug,
        action,
        label: builtinNames[slug].label,
        ...(scanScope !== undefined && { scan_scope: scanScope }),
      })) ?? null,
  };
}

/** The deprecated member: what all groups have in common; null where they differ. */
function zeroRetentionOfAll({ zeroRetention }: GuardrailRules): boolean | null {
  const [first = null, ...others] = retentionGroups.map((group) => zeroRetention[group] ?? null);
  return others.every((other) => other === first) ? first : null;
}
