import type { Delta } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import { isObject, type JsonObject, parseJson } from '../../../util/json.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import type { Block } from './message.ts';

type Hosted = Extract<Delta, { kind: 'hosted' }>;

const direct = { type: 'direct' } as const;

/** What a provider's tool did: written whole once its result is there, because blocks never overlap. */
export class HostedWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly #sink: BlockSink;
  readonly #type: Hosted['type'];
  #fields: JsonObject;
  #hasResult = false;
  #failed = false;

  constructor({ block, type, fields = {} }: Hosted, sink: BlockSink) {
    this.block = block;
    this.#type = type;
    this.#fields = fields;
    this.#sink = sink;
  }

  get yields(): boolean {
    return this.ended || this.#hasResult;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'stage' || kind === 'fragment' || kind === 'partial_image' || kind === 'result';
  }

  write(delta: Delta): void {
    if (delta.kind !== 'result') return;
    this.#fields = { ...this.#fields, ...delta.fields };
    this.#hasResult = true;
    this.#failed = delta.failed === true;
  }

  close(): readonly Block[] {
    const blocks = this.#blocks();
    for (const block of blocks) writeWhole(block, this.#sink);
    return blocks;
  }

  #blocks(): readonly Block[] {
    const { format, signature } = this.#fields;
    // The blocks of a provider of this format, as its adapter keeps them.
    if (format === 'anthropic-claude-v1' && typeof signature === 'string') {
      const kept = parseJson(signature);
      const own = Array.isArray(kept) ? kept.filter(isBlock) : [];
      return own.filter(({ type }) => shown.test(type)).map(withCaller);
    }
    if (this.#type === 'web_search_call') return this.#search();
    if (this.#type !== 'image_generation_call') return [];
    return [
      { type: 'text', text: 'The model made a picture, which this interface cannot show.', citations: [] },
    ];
  }

  #search(): readonly Block[] {
    const action = isObject(this.#fields.action) ? this.#fields.action : {};
    const id = createId('srvtoolu_hs');
    const query = typeof action.query === 'string' ? action.query : String(action.url ?? '');
    const sources = Array.isArray(action.sources) ? action.sources.filter(isObject) : [];
    const content = this.#failed
      ? { type: 'web_search_tool_result_error', error_code: 'unavailable' }
      : sources.flatMap(({ url, title }) => (typeof url === 'string' ? searchResult(url, title) : []));
    return searchBlocks(id, query, content);
  }
}

const shown = /^(server_tool_use|(web_search|web_fetch|(bash_|text_editor_)?code_execution)_tool_result)$/;

function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value.type === 'string';
}

function withCaller(block: Block): Block {
  return { ...block, caller: block.caller ?? direct };
}

/** One page that a search found. */
export function searchResult(url: string, title: unknown): JsonObject {
  const name = typeof title === 'string' ? title : '';
  return { type: 'web_search_result', url, title: name, encrypted_content: '', page_age: null };
}

/** A search with what it found. */
export function searchBlocks(id: string, query: string, content: unknown): readonly Block[] {
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query }, caller: direct },
    { type: 'web_search_tool_result', tool_use_id: id, content, caller: direct },
  ];
}

/** Writes a block that is complete: a call with its input in a delta, everything else in its start. */
export function writeWhole(block: Block, sink: BlockSink): void {
  if (block.type === 'server_tool_use') {
    sink.start({ ...block, input: {} });
    sink.delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) });
  } else if (block.type === 'text') {
    sink.start({ ...block, text: '' });
    sink.delta({ type: 'text_delta', text: block.text });
  } else sink.start(block);
  sink.stop();
}
