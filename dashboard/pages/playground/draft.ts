/** What is set besides the prompt, as a person typed it; empty texts are not sent. */
export interface Settings {
  readonly instructions: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly effort: string;
  /** Tools, as a JSON array. */
  readonly tools: string;
  /** The JSON schema of the answer. */
  readonly schema: string;
  /** Preferences about providers, as JSON. */
  readonly provider: string;
  /** Further members of the request, as JSON. */
  readonly more: string;
}

/** What one column sends. */
export interface Draft extends Settings {
  readonly prompt: string;
  /** What was said before, as items of a request. */
  readonly before: readonly Body[];
  /** The slug of a preset of the workspace. */
  readonly preset: string | undefined;
}

export const noSettings: Settings = {
  instructions: '',
  temperature: '',
  maxTokens: '',
  effort: '',
  tools: '',
  schema: '',
  provider: '',
  more: '',
};

/** Every effort that a request can name, from most to least. */
export const efforts: readonly string[] = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'];

export type Body = Readonly<Record<string, unknown>>;

/**
 * The request of a draft, or what is wrong with it. Without a model it is the preset's.
 * @param pictures Data URLs that go with the prompt.
 */
export function requestOf(
  draft: Draft,
  model: string,
  pictures: readonly string[] = [],
): { body: Body } | { fault: string } {
  const fields = readFields(draft);
  if ('fault' in fields) return fields;
  const { temperature, maxTokens, tools, schema, provider, more } = fields;
  const { preset } = draft;
  if (model === '' && preset === undefined) return { fault: 'Name a model in each column.' };
  return {
    body: {
      ...(model === '' ? {} : { model }),
      ...(preset === undefined ? {} : { preset }),
      input: inputOf(draft, pictures),
      ...(draft.instructions.trim() === '' ? {} : { instructions: draft.instructions }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...(draft.effort === '' ? {} : { reasoning: { effort: draft.effort } }),
      ...(tools === undefined ? {} : { tools }),
      ...(schema === undefined ? {} : { text: { format: formatOf(schema) } }),
      ...(provider === undefined ? {} : { provider }),
      ...(isObject(more) ? more : {}),
    },
  };
}

/** Fields as values, which are undefined where they are empty. */
type Fields = Readonly<
  Record<'temperature' | 'maxTokens' | 'tools' | 'schema' | 'provider' | 'more', unknown>
>;

function readFields(draft: Settings): Fields | { fault: string } {
  try {
    return {
      temperature: readNumber('temperature', draft.temperature),
      maxTokens: readNumber('most output tokens', draft.maxTokens),
      tools: readJson('tools', draft.tools, 'array'),
      schema: readJson('output schema', draft.schema, 'object'),
      provider: readJson('provider preferences', draft.provider, 'object'),
      more: readJson('further members', draft.more, 'object'),
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** A plain prompt stays a text, so that the code which people copy is short. */
function inputOf({ prompt, before }: Draft, pictures: readonly string[]): string | readonly Body[] {
  if (before.length === 0 && pictures.length === 0) return prompt;
  const isSilent = prompt.trim() === '' && pictures.length === 0;
  return isSilent ? before : [...before, messageOf(prompt, pictures)];
}

function messageOf(prompt: string, pictures: readonly string[]): Body {
  const images = pictures.map((image_url) => ({ type: 'input_image', image_url, detail: 'auto' }));
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }, ...images] };
}

const formatOf = (schema: unknown) => ({ type: 'json_schema', name: 'answer', strict: true, schema });

/**
 * The settings of a request or a preset as fields of the form, so that `requestOf` makes the same members of them. What has no
 * field is among the further members.
 */
export function settingsOf(body: Body): Settings {
  const {
    instructions,
    temperature,
    max_output_tokens: most,
    reasoning,
    tools,
    text,
    provider,
    ...rest
  } = body;
  const more: Record<string, unknown> = { ...rest };
  const take = <Value>(name: string, value: Value, fits: boolean): Value | undefined => {
    if (value === undefined || fits) return value;
    more[name] = value;
    return undefined;
  };
  const effort = take(
    'reasoning',
    reasoning,
    isObject(reasoning) && hasOnly(reasoning, ['effort']) && efforts.includes(String(reasoning.effort)),
  );
  const format = take('text', text, schemaIn(text) !== undefined);
  return {
    instructions: String(
      take('instructions', instructions, typeof instructions === 'string' && instructions.trim() !== '') ??
        '',
    ),
    temperature: String(take('temperature', temperature, typeof temperature === 'number') ?? ''),
    maxTokens: String(take('max_output_tokens', most, typeof most === 'number') ?? ''),
    effort: isObject(effort) ? String(effort.effort) : '',
    tools: jsonOf(take('tools', tools, Array.isArray(tools))),
    schema: jsonOf(schemaIn(format)),
    provider: jsonOf(take('provider', provider, isObject(provider))),
    more: Object.keys(more).length === 0 ? '' : jsonOf(more),
  };
}

/** The schema of a `text` that says no more than the form can; undefined for another one. */
function schemaIn(text: unknown): Body | undefined {
  if (!isObject(text) || !hasOnly(text, ['format']) || !isObject(text.format)) return undefined;
  const { type, name, strict, schema, ...others } = text.format;
  const isOurs = type === 'json_schema' && name === 'answer' && strict === true;
  return isOurs && isObject(schema) && Object.keys(others).length === 0 ? schema : undefined;
}

function hasOnly(value: Body, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

const jsonOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, undefined, 2));

/** The schema that the answer to a body must fit; undefined where there is none. */
export function schemaOf(body: Body): Body | undefined {
  const { format } = (body.text ?? {}) as { readonly format?: { readonly schema?: unknown } };
  return isObject(format?.schema) ? format.schema : undefined;
}

function readNumber(label: string, text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`The ${label}: "${text}" is no number.`);
  return value;
}

function readJson(label: string, text: string, form: 'array' | 'object'): unknown {
  if (text.trim() === '') return undefined;
  const value = parsed(label, text);
  if (form === 'array' ? Array.isArray(value) : isObject(value)) return value;
  throw new Error(`The ${label} must be a JSON ${form}.`);
}

function parsed(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : '';
    throw new Error(`The ${label} cannot be read as JSON: ${said}`, { cause });
  }
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
