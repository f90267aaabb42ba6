import type { CreateGuardrail, Guardrail } from '../../../clients/headgate-api.ts';

export type Builtin = NonNullable<Guardrail['content_filter_builtins']>[number];
export type Custom = NonNullable<CreateGuardrail['content_filters']>[number];
export type Action = Builtin['action'];

/** What filters that are built in find. */
export const builtins = {
  email: 'Addresses of e-mail',
  phone: 'Telephone numbers',
  ssn: 'Social security numbers',
  'credit-card': 'Card numbers',
  'ip-address': 'IP addresses',
  'person-name': 'Names of persons',
  address: 'Postal addresses',
  'regex-prompt-injection': 'Prompt injection',
} as const satisfies Readonly<Record<Builtin['slug'], string>>;

/** Groups of models that may go only where nothing is kept. */
export const retention = {
  enforce_zdr_anthropic: 'Models of Anthropic',
  enforce_zdr_openai: 'Models of OpenAI',
  enforce_zdr_google: 'Models of Google',
  enforce_zdr_xai: 'Models of xAI',
  enforce_zdr_other: 'All other models',
} as const;

/** Practices of endpoints that can be refused. */
export const practices = {
  enable_free_model_publication: 'No free endpoint that publishes prompts',
  enable_free_model_training: 'No free endpoint that trains on prompts',
  enable_paid_model_training: 'No paid endpoint that trains on prompts',
} as const;

/** Lists of models and providers. */
export const lists = {
  allowed_models: 'Only these models',
  ignored_models: 'Not these models',
  allowed_providers: 'Only these providers',
  ignored_providers: 'Not these providers',
} as const;

type NameOf<Table> = keyof Table & string;

function namesOf<Table extends Readonly<Record<string, string>>>(table: Table): readonly NameOf<Table>[] {
  return Object.keys(table);
}

const keysOf = { builtins: namesOf(builtins), retention: namesOf(retention) };

/** One group of a guardrail's rules in words. */
export interface RuleGroup {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What a guardrail says besides its budget, in the groups of the form. */
export function rulesOf(guardrail: Guardrail): readonly RuleGroup[] {
  const models = namesOf(lists).flatMap((name) => {
    const all = guardrail[name];
    return all === null || all.length === 0 ? [] : [`${lists[name]}: ${all.join(', ')}`];
  });
  const kept = keysOf.retention.filter((name) => guardrail[name] ?? guardrail.enforce_zdr ?? false);
  const filters = guardrail.content_filter_builtins ?? [];
  const isInjection = ({ slug }: Builtin) => slug === 'regex-prompt-injection';
  return [
    { title: 'Models and providers', lines: models },
    {
      title: 'Data practice',
      lines: [
        ...kept.map((name) => `${retention[name]}: only where nothing is kept`),
        ...namesOf(practices).flatMap((name) => (guardrail[name] === false ? [practices[name]] : [])),
      ],
    },
    {
      title: 'Filters',
      lines: [
        ...filters
          .filter((one) => !isInjection(one))
          .map(({ slug, action }) => `${builtins[slug]}: ${action}`),
        ...(guardrail.content_filters ?? []).map(
          ({ pattern, action, label }) => `${label ?? 'Pattern'} ${pattern}: ${action}`,
        ),
      ],
    },
    {
      title: 'Prompt injection',
      lines: filters
        .filter(isInjection)
        .map(
          ({ action, scan_scope: scope }) =>
            `${scope === 'user_only' ? 'Text of users' : 'All messages'}: ${action}`,
        ),
    },
  ].filter(({ lines: all }) => all.length > 0);
}

/** Reads the form, besides the budget and the patterns. What the form does not show stays as it is in `stored`. */
export function readRules(data: FormData, stored?: Guardrail) {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const list = (name: string) => {
    const all = text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
    return all.length === 0 ? null : all;
  };
  // Where nothing is ticked, an explicit opposite stays.
  const kept = (name: NameOf<typeof retention>) =>
    data.get(name) !== null ? true : stored?.[name] === false ? false : null;
  const refused = (name: NameOf<typeof practices>) =>
    data.get(name) !== null ? false : stored?.[name] === true ? true : null;
  const labels = new Map(stored?.content_filter_builtins?.map(({ slug, label }) => [slug, label]));
  const filters = keysOf.builtins.flatMap((slug) => {
    const action = actions.find((one) => one === text(slug));
    if (action === undefined) return [];
    const isNarrow = slug === 'regex-prompt-injection' && text('scan_scope') === 'user_only';
    const label = labels.get(slug);
    return [
      {
        slug,
        action,
        ...(label === undefined ? {} : { label }),
        ...(isNarrow ? { scan_scope: 'user_only' as const } : {}),
      },
    ];
  });
  return {
    name: text('name'),
    description: text('description') === '' ? null : text('description'),
    mode: text('mode') === 'observe' ? ('observe' as const) : ('enforce' as const),
    allowed_models: list('allowed_models'),
    ignored_models: list('ignored_models'),
    allowed_providers: list('allowed_providers'),
    ignored_providers: list('ignored_providers'),
    enforce_zdr: null,
    enforce_zdr_anthropic: kept('enforce_zdr_anthropic'),
    enforce_zdr_openai: kept('enforce_zdr_openai'),
    enforce_zdr_google: kept('enforce_zdr_google'),
    enforce_zdr_xai: kept('enforce_zdr_xai'),
    enforce_zdr_other: kept('enforce_zdr_other'),
    enable_free_model_publication: refused('enable_free_model_publication'),
    enable_free_model_training: refused('enable_free_model_training'),
    enable_paid_model_training: refused('enable_paid_model_training'),
    content_filter_builtins: filters.length === 0 ? null : filters,
  };
}

export const actions = ['block', 'redact', 'flag'] as const satisfies readonly Action[];
