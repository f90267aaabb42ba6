import { useState } from 'preact/hooks';
import { choice, choose } from '../../state/url.ts';

/** What a person has written; it lives in this tab only. */
export interface Draft {
  readonly prompt: string;
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

const name = 'headgate-playground';
const empty: Draft = {
  prompt: '',
  instructions: '',
  temperature: '',
  maxTokens: '',
  effort: '',
  tools: '',
  schema: '',
  provider: '',
  more: '',
};

/** The draft and how to change it. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => replayed(read()));
  const change = (changed: Partial<Draft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    sessionStorage.setItem(name, JSON.stringify(next));
  };
  return [draft, change];
}

function read(): Draft {
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(name) ?? '{}') };
  } catch {
    return empty;
  }
}

/** The draft with the settings of a replayed call in place of its own, where the address has some; then they leave it. */
function replayed(draft: Draft): Draft {
  const settings = choice('settings');
  if (settings === undefined) return draft;
  // After the page is drawn: nothing may change while it is.
  queueMicrotask(() => choose({ settings: undefined }, { replace: true }));
  const { tools, provider, max_output_tokens: most, ...more } = readSettings(settings);
  const jsonOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, undefined, 2));
  const next: Draft = {
    ...empty,
    prompt: draft.prompt,
    maxTokens: most === undefined ? '' : String(most),
    tools: jsonOf(tools),
    provider: jsonOf(provider),
    more: Object.keys(more).length === 0 ? '' : jsonOf(more),
  };
  sessionStorage.setItem(name, JSON.stringify(next));
  return next;
}

function readSettings(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export type Body = Readonly<Record<string, unknown>>;

/**
 * The request of a draft, or what is wrong with it.
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
  return {
    body: {
      model,
      input: pictures.length === 0 ? draft.prompt : [messageOf(draft.prompt, pictures)],
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

function readFields(draft: Draft): Fields | { fault: string } {
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

function messageOf(prompt: string, pictures: readonly string[]): Body {
  const images = pictures.map((image_url) => ({ type: 'input_image', image_url, detail: 'auto' }));
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }, ...images] };
}

const formatOf = (schema: unknown) => ({ type: 'json_schema', name: 'answer', strict: true, schema });

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
