/** What is asked about a route; all of it is in the address. */
export interface Facts {
  readonly model: string;
  readonly tokens: string;
  readonly output: string;
  readonly sort: string;
  /** Slugs of providers, with commas between. */
  readonly only: string;
  readonly ignore: string;
  readonly zdr: boolean;
  readonly strict: boolean;
  readonly tools: boolean;
  readonly schema: boolean;
  /** Further members of the request, as JSON. */
  readonly more: string;
}

/** What can be switched without typing. */
export const toggles = [
  { name: 'zdr', label: 'Providers must keep nothing (zero data retention)' },
  { name: 'strict', label: 'Every parameter must be supported' },
  { name: 'tools', label: 'The request has a tool' },
  { name: 'schema', label: 'The answer must fit a JSON schema' },
] as const satisfies readonly { readonly name: keyof Facts; readonly label: string }[];

export function factsOf(choice: (name: string) => string | undefined): Facts {
  const text = (name: string) => choice(name) ?? '';
  const flag = (name: string) => choice(name) === 'on';
  return {
    model: text('model'),
    tokens: text('tokens'),
    output: text('output'),
    sort: text('sort'),
    only: text('only'),
    ignore: text('ignore'),
    zdr: flag('zdr'),
    strict: flag('strict'),
    tools: flag('tools'),
    schema: flag('schema'),
    more: text('more'),
  };
}

/** A word is about as long as one token. */
const filler = 'word ';
const mostFiller = 400_000;

/** The request that the facts describe; its prompt is filler of the wanted length. */
export function bodyOf(facts: Facts): Record<string, unknown> {
  const tokens = Math.min(mostFiller, Math.max(1, Number(facts.tokens) || 100));
  const more = readMore(facts.more);
  const slugs = (text: string) => text.split(/[\s,]+/).filter(Boolean);
  const provider = {
    ...(isObject(more.provider) ? more.provider : {}),
    ...(facts.sort === '' ? {} : { sort: facts.sort }),
    ...(slugs(facts.only).length === 0 ? {} : { only: slugs(facts.only) }),
    ...(slugs(facts.ignore).length === 0 ? {} : { ignore: slugs(facts.ignore) }),
    ...(facts.zdr ? { zdr: true } : {}),
    ...(facts.strict ? { require_parameters: true } : {}),
  };
  const schema = {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  };
  return {
    ...more,
    ...('models' in more ? {} : { model: facts.model }),
    input: filler.repeat(tokens).trim(),
    ...(facts.output === '' ? {} : { max_output_tokens: Number(facts.output) }),
    ...(Object.keys(provider).length === 0 ? {} : { provider }),
    ...(facts.tools
      ? { tools: [{ type: 'function', name: 'example', parameters: { type: 'object', properties: {} } }] }
      : {}),
    ...(facts.schema
      ? { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }
      : {}),
  };
}

/** The further members; none where they cannot be read. */
function readMore(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
