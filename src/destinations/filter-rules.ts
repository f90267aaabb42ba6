import type { TextScanner } from '../guardrails/content-scanner.ts';
import type { FilterGroup, FilterRule, FilterRules } from '../ports/destinations.ts';

/** What rules may compare. */
export const textFields = [
  'model',
  'provider',
  'session_id',
  'user_id',
  'api_key_name',
  'finish_reason',
  'input',
  'output',
] as const;
/** The same, of numbers. */
export const numberFields = ['total_cost', 'total_tokens', 'prompt_tokens', 'completion_tokens'] as const;

/** Operators of texts, of numbers, and of what may be missing. */
export const textOperators = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
] as const;
export const numberOperators = ['equals', 'not_equals', 'gt', 'lt', 'gte', 'lte'] as const;
export const presence = ['exists', 'not_exists'] as const;

/** What a request has of the fields; what is missing is undefined. */
export type FieldValues = Readonly<Record<string, string | number | undefined>>;

/** Characters of a text that a pattern is looked for in. */
const mostScanned = 65_536;

/**
 * Whether a request passes the rules of a destination: every group, each by its own logic. Patterns are looked for by the
 * scanner, in a process of their own.
 * @throws HeadgateError where the patterns could not be looked for.
 */
export async function passesRules(
  rules: FilterRules | null,
  fields: () => FieldValues,
  scanner: TextScanner,
  owner: string,
): Promise<boolean> {
  if (rules === null || !rules.enabled || rules.groups.length === 0) return true;
  const values = fields();
  const matching = await matchingPatterns(rules, values, scanner, owner);
  return rules.groups.every((group) => passesGroup(group, values, matching));
}

function passesGroup(
  { logic, rules }: FilterGroup,
  values: FieldValues,
  matching: ReadonlySet<FilterRule>,
): boolean {
  const passes = (rule: FilterRule) =>
    rule.operator === 'regex' ? matching.has(rule) : passesRule(rule, values[rule.field]);
  if (rules.length === 0) return true;
  return logic === 'or' ? rules.some(passes) : rules.every(passes);
}

function passesRule({ operator, value }: FilterRule, found: string | number | undefined): boolean {
  if (operator === 'exists') return found !== undefined;
  // What is missing is equal to nothing and contains nothing.
  if (found === undefined) return operator.startsWith('not_');
  if (operator === 'not_exists') return false;
  if (typeof found === 'number') return compares(operator, found, Number(value));
  const text = String(value);
  switch (operator) {
    case 'equals':
      return found === text;
    case 'not_equals':
      return found !== text;
    case 'contains':
      return found.includes(text);
    case 'not_contains':
      return !found.includes(text);
    case 'starts_with':
      return found.startsWith(text);
    case 'ends_with':
      return found.endsWith(text);
    default:
      return false;
  }
}

function compares(operator: string, found: number, value: number): boolean {
  switch (operator) {
    case 'equals':
      return found === value;
    case 'not_equals':
      return found !== value;
    case 'gt':
      return found > value;
    case 'lt':
      return found < value;
    case 'gte':
      return found >= value;
    case 'lte':
      return found <= value;
    default:
      return false;
  }
}

/** The rules whose pattern is in their field. */
async function matchingPatterns(
  { groups }: FilterRules,
  values: FieldValues,
  scanner: TextScanner,
  owner: string,
): Promise<ReadonlySet<FilterRule>> {
  const rules = groups.flatMap((group) => group.rules).filter(({ operator }) => operator === 'regex');
  const matching = new Set<FilterRule>();
  for (const field of new Set(rules.map((rule) => rule.field))) {
    const value = values[field];
    if (typeof value !== 'string') continue;
    const ofField = rules.filter((rule) => rule.field === field);
    const filters = ofField.map((rule) => ({
      what: { kind: 'pattern', pattern: String(rule.value) } as const,
      action: 'flag' as const,
      placeholder: '',
    }));
    const text = value.slice(0, mostScanned);
    const asked = { filters, allowedPhrases: [] };
    const { hits } = await scanner.scan([{ text, isUser: false }], asked, { owner });
    for (const { filter } of hits) {
      const rule = ofField[filter];
      if (rule !== undefined) matching.add(rule);
    }
  }
  return matching;
}
