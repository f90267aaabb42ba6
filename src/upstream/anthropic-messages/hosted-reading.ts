import type { HostedItemType } from '../../core/hosted.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import { textOf } from '../lenient.ts';

/** How the calls of one tool become public items. */
export interface HostedReading {
  readonly type: HostedItemType;
  readonly stage?: 'searching' | 'interpreting';
  /** Whether the input's text is shown while it arrives. */
  readonly streamsInput?: boolean;
  /** Members known at the start. */
  readonly begin?: (start: JsonObject) => JsonObject;
  /** The part of the input that is shown as code. */
  readonly code?: (input: JsonObject) => string | undefined;
  /** The members besides those of the start; `result` is the block with the call's result, if one came. */
  readonly finish: (input: JsonObject, result: JsonObject, text: string) => Finish;
}

interface Finish {
  readonly fields: JsonObject;
  readonly failed: boolean;
}

const search: HostedReading = {
  type: 'web_search_call',
  stage: 'searching',
  finish({ query }, { content }) {
    const text = textOf(query) ?? '';
    const results = Array.isArray(content) ? content.filter(isObject) : [];
    const sources = results.flatMap(({ url }) => (typeof url === 'string' ? [{ type: 'url', url }] : []));
    return {
      fields: { action: { type: 'search', query: text, queries: [text], sources } },
      failed: isError(content),
    };
  },
};

const fetch: HostedReading = {
  type: 'web_search_call',
  stage: 'searching',
  finish({ url }, { content }) {
    return { fields: { action: { type: 'open_page', url: textOf(url) ?? '' } }, failed: isError(content) };
  },
};

const interpreter: HostedReading = {
  type: 'code_interpreter_call',
  stage: 'interpreting',
  code: codeOf,
  finish(input, { content }) {
    return {
      fields: { code: codeOf(input) ?? null, outputs: readOutputs(content) },
      failed: isError(content),
    };
  },
};

const mcp: HostedReading = {
  type: 'mcp_call',
  streamsInput: true,
  begin: ({ server_name, name }) => ({ server_label: textOf(server_name) ?? '', name: textOf(name) ?? '' }),
  finish(_input, { content, is_error }, text) {
    const outputText = joinTexts(content);
    const failed = is_error === true;
    const outcome = failed ? { output: null, error: outputText ?? '' } : { output: outputText, error: null };
    return { fields: { arguments: text === '' ? '{}' : text, ...outcome }, failed };
  },
};

const readings = wordTable<HostedReading>({
  web_search: search,
  web_fetch: fetch,
  code_execution: interpreter,
  bash_code_execution: interpreter,
  text_editor_code_execution: interpreter,
  mcp,
});

/** The reading of a tool by the dialect's name for it. */
export function readingOf(name: string | null | undefined): HostedReading | undefined {
  return readings[name ?? ''];
}

/** Python in one version of the tool; a shell command or a file edit in another. */
function codeOf(input: JsonObject): string | undefined {
  const text = textOf(input.code) ?? (input.path === undefined ? textOf(input.command) : undefined);
  return text ?? (Object.keys(input).length > 0 ? JSON.stringify(input) : undefined);
}

function readOutputs(content: unknown): readonly JsonObject[] {
  if (!isObject(content)) return [];
  const streams = [textOf(content.stdout), textOf(content.stderr), textOf(content.content)];
  const logs = streams.filter((text) => text !== undefined).join('\n');
  const files = Array.isArray(content.content) ? content.content.filter(isObject) : [];
  return [
    ...(logs === '' ? [] : [{ type: 'logs', logs }]),
    ...files.flatMap(({ file_id }) => (typeof file_id === 'string' ? [{ type: 'file', id: file_id }] : [])),
  ];
}

function isError(content: unknown): boolean {
  return isObject(content) && typeof content.type === 'string' && content.type.endsWith('_error');
}

function joinTexts(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content.map((entry) => (isObject(entry) ? (textOf(entry.text) ?? '') : '')).join('');
}
