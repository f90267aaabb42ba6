import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { HostedItemType } from '../../core/hosted.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import { type Lenient, textOf } from '../lenient.ts';
import { type BlockPiece, type ContentBlock, InputText, type Push } from './content-block.ts';

/** The start of a hosted call. */
export type HostedCallStart = Lenient<Wire.ServerToolUseBlock> | Lenient<Beta.BetaMCPToolUseBlock>;

/**
 * A hosted call and its result, which is a later block of the answer. The item keeps both blocks unchanged as JSON
 * text in `signature`, so that the same provider gets them back (`encode-hosted-item.ts` reads them).
 */
export class HostedCall implements ContentBlock {
  readonly #block: number;
  readonly #push: Push;
  readonly #start: HostedCallStart;
  readonly #reading: HostedReading;
  readonly #input: InputText;
  #result: JsonObject | undefined;
  #stopped = false;
  #settled = false;

  constructor(block: number, start: HostedCallStart, reading: HostedReading, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#start = start;
    this.#reading = reading;
    this.#input = new InputText(start.input);
    push({ kind: 'hosted', block, type: reading.type, fields: reading.begin?.(start) });
    if (reading.stage === 'searching') push({ kind: 'stage', block, stage: reading.stage });
  }

  add(piece: BlockPiece): void {
    const text = this.#input.add(piece);
    if (text !== '' && this.#reading.streamsInput) this.#push({ kind: 'fragment', block: this.#block, text });
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    const late = this.#input.stop();
    const text = this.#reading.streamsInput ? late : this.#reading.code?.(this.#parsedInput());
    if (text) this.#push({ kind: 'fragment', block: this.#block, text });
    // Code runs once it is complete.
    if (this.#reading.stage === 'interpreting') {
      this.#push({ kind: 'stage', block: this.#block, stage: 'interpreting' });
    }
  }

  /** Takes the block with the call's result. */
  take(result: JsonObject): void {
    this.#result ??= result;
  }

  /**
   * Whether the result needs the container in which the code ran, which some streams report only at their end.
   */
  get needsContainer(): boolean {
    return this.#reading.type === 'code_interpreter_call';
  }

  /** Reports the outcome of the call, once; a call without a result continues in the next turn. */
  settle(container: string | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.stop();
    const input = this.#parsedInput();
    const { fields, failed } = this.#reading.finish(input, this.#result ?? {}, this.#input.text);
    const own = { ...this.#start, input };
    const blocks = this.#result === undefined ? [own] : [own, this.#result];
    this.#push({
      kind: 'result',
      block: this.#block,
      fields: {
        ...this.#reading.begin?.(this.#start),
        ...fields,
        ...(this.needsContainer ? { container_id: container ?? '' } : {}),
        format: 'anthropic-claude-v1',
        signature: JSON.stringify(blocks),
      },
      failed: failed ? true : undefined,
    });
    this.#push({ kind: 'end', block: this.#block });
  }

  #parsedInput(): JsonObject {
    const value = parseJson(this.#input.text);
    return isObject(value) ? value : {};
  }
}

/** Begins a call; returns undefined for a tool without a public item. */
export function beginHostedCall(block: number, start: HostedCallStart, push: Push): HostedCall | undefined {
  const reading = readingOf(start.type === 'mcp_tool_use' ? 'mcp' : start.name);
  return reading && new HostedCall(block, start, reading, push);
}

/** How the calls of one tool become public items. */
interface HostedReading {
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
function readingOf(name: string | null | undefined): HostedReading | undefined {
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
