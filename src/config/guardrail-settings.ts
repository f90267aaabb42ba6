import { compileProblemOf, syntaxProblemOf } from '../guardrails/custom-pattern.ts';
import type { AnalyzerSettings } from '../guardrails/entity-analyzer.ts';
import type { FileGuardrail } from '../guardrails/guardrail-directory.ts';
import { httpUrlField, positiveDurationField, section } from '../schema/fields.ts';
import { guardrailMembers, readGuardrailRules } from '../schema/guardrail-rules.ts';
import { camelCased } from '../util/camel-case.ts';
import { flag, list, map, number, type Static, Type, text, word } from '../util/json-schema.ts';
import type { Reading } from './reading.ts';

const rule = Type.Object(
  {
    ...guardrailMembers,
    apply: Type.Object(
      {
        all: flag({ default: false, description: 'To every request' }),
        workspaces: list(text({ minLength: 1 }), {
          default: [],
          description: 'To requests of keys in these workspaces, by id',
        }),
        keys: list(text({ pattern: '^[0-9a-f]{64}$', description: 'the hash of a key' }), {
          default: [],
          description: 'To requests of these keys, by hash',
        }),
      },
      { additionalProperties: false, description: 'To whose requests it applies' },
    ),
  },
  { additionalProperties: false, description: 'One guardrail' },
);

/** `guardrails`: rules for the content of requests that the operator sets. */
export const guardrailSettings = Type.Object(
  {
    entity_analyzer: Type.Optional(
      Type.Object(
        {
          base_url: httpUrlField('A Presidio analyzer: POST {base_url}/analyze'),
          timeout: positiveDurationField('How long the texts of a request may take', '2s'),
          on_failure: Type.Optional(
            word(['allow', 'refuse'], {
              description:
                'What happens to a request that it cannot read; left out: refused where a filter blocks',
            }),
          ),
          language: text({ pattern: '^[a-z]{2}$', default: 'en', description: 'Of the texts, two letters' }),
          score_threshold: number({
            minimum: 0,
            maximum: 1,
            default: 0.5,
            description: 'How sure it has to be',
          }),
        },
        { additionalProperties: false, description: 'Recognises names and addresses' },
      ),
    ),
    rules: map(rule, {
      propertyNames: text({ pattern: '^[a-z0-9][a-z0-9._-]*$' }),
      default: {},
      description: 'Guardrails by name; no management key can change them',
    }),
  },
  section('Rules for the content of requests'),
);

/** `guardrails` as read. */
export type GuardrailSettings = Static<typeof guardrailSettings>;

/** The analyzer that the configuration names. */
export function declaredAnalyzer({
  entity_analyzer: settings,
}: GuardrailSettings): AnalyzerSettings | undefined {
  return settings && camelCased(settings);
}

/** Checks what single values cannot tell: that patterns compile and that every guardrail applies to something. */
export function checkGuardrails(settings: Partial<GuardrailSettings> | undefined, reading: Reading): void {
  for (const [name, guardrail] of Object.entries(settings?.rules ?? {})) {
    if (guardrail === undefined) continue;
    const path = `guardrails.rules.${name}`;
    refusePatterns(path, guardrail.content_filters, reading);
    if (settings?.entity_analyzer === undefined)
      refuseEntities(path, guardrail.content_filter_builtins, reading);
    const { apply } = guardrail;
    if (apply === undefined || apply.all || apply.workspaces.length > 0 || apply.keys.length > 0) continue;
    reading.problem(`${path}.apply`, {
      problem: 'the guardrail applies to no request',
      allowed: 'all: true, workspaces or keys',
      remedy: 'say to whose requests it applies, or remove the guardrail',
    });
  }
}

function refusePatterns(
  path: string,
  filters: readonly ({ readonly pattern?: string } | undefined)[] | undefined,
  reading: Reading,
): void {
  const patterns = filters?.map((filter) => filter?.pattern ?? 'a') ?? [];
  const problems = patterns.flatMap((pattern, index) => {
    const problem = syntaxProblemOf(pattern);
    return problem === undefined ? [] : [{ index, problem }];
  });
  const compiled = problems.length === 0 ? compileProblemOf(patterns) : undefined;
  for (const { index, problem } of compiled === undefined ? problems : [compiled]) {
    reading.problem(`${path}.content_filters[${index}].pattern`, {
      problem,
      allowed: 'a regular expression without look-around, back-references and nested repetitions',
      remedy: 'rewrite it',
    });
  }
}

/** Nobody would find names and addresses. */
function refuseEntities(
  path: string,
  filters: readonly ({ readonly slug?: string } | undefined)[] | undefined,
  reading: Reading,
): void {
  for (const [index, filter] of (filters ?? []).entries()) {
    if (filter?.slug !== 'person-name' && filter?.slug !== 'address') continue;
    reading.problem(`${path}.content_filter_builtins[${index}].slug`, {
      problem: 'it needs an analyzer',
      allowed: 'the other detectors',
      remedy: 'add guardrails.entity_analyzer',
    });
  }
}

/** The guardrails that the configuration declares. */
export function declaredGuardrails({ rules }: GuardrailSettings): readonly FileGuardrail[] {
  return Object.entries(rules).map(([name, { apply, ...written }]) => ({
    name,
    rules: readGuardrailRules(written),
    apply,
  }));
}
