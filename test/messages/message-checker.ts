import assert from 'node:assert/strict';
import { parseJson } from '../../src/util/json.ts';
import { checkContract } from '../support/contract.ts';

type Json = { readonly [key: string]: unknown };
type Event = Json & { readonly type: string };

/** A stream as it was read, checked. */
export interface CheckedStream {
  readonly events: readonly Event[];
  /** The message put together from its events; undefined where the stream failed. */
  readonly message: Json | undefined;
  /** The error that ended it. */
  readonly error: Json | undefined;
  readonly comments: number;
}

const deltaKinds: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['text_delta', 'citations_delta']),
  thinking: new Set(['thinking_delta', 'signature_delta']),
  tool_use: new Set(['input_json_delta']),
  server_tool_use: new Set(['input_json_delta']),
};

/**
 * Enforces the grammar of docs/spec/messages.md#order-of-events on the text of a stream. Written from the specification;
 * shares nothing with the writer. Fails by assertion.
 */
export function checkMessageStream(text: string): CheckedStream {
  const checker = new Checker();
  assert.ok(text.endsWith('\n\n'), 'a stream ends with a whole event');
  for (const block of text.split('\n\n').slice(0, -1)) checker.read(block);
  return checker.end();
}

class Checker {
  readonly #events: Event[] = [];
  #comments = 0;
  #start: Json | undefined;
  readonly #blocks: Record<string, unknown>[] = [];
  #open: { block: Record<string, unknown>; json: string; signatures: number } | undefined;
  #delta: Json | undefined;
  #error: Json | undefined;
  #stopped = false;

  read(text: string): void {
    if (text.startsWith(':')) {
      assert.equal(this.#start, undefined, 'a comment after message_start');
      this.#comments += 1;
      return;
    }
    const [name = '', data = '', ...more] = text.split('\n');
    assert.deepEqual(more, [], 'an event is two lines');
    assert.match(data, /^data: \{/);
    const event = JSON.parse(data.slice('data: '.length)) as Event;
    assert.equal(name, `event: ${event.type}`);
    checkContract('MessagesStreamEvents', event);
    this.#events.push(event);
    assert.ok(!this.#stopped && this.#error === undefined, `${event.type} after the end`);
    this.#take(event);
  }

  end(): CheckedStream {
    assert.ok(this.#stopped || this.#error !== undefined, 'the stream has no end');
    const message = this.#stopped
      ? { ...this.#start, ...(this.#delta?.delta as Json), content: this.#blocks, usage: this.#delta?.usage }
      : undefined;
    return { events: this.#events, message, error: this.#error, comments: this.#comments };
  }

  #take(event: Event): void {
    if (event.type === 'message_start') {
      assert.equal(this.#start, undefined, 'two message_start');
      const message = event.message as Json;
      assert.deepEqual(message.content, []);
      assert.equal(message.stop_reason, null);
      assert.equal((message.usage as Json).output_tokens, 0);
      this.#start = message;
    } else if (event.type === 'error') this.#error = event.error as Json;
    else {
      assert.ok(this.#start, `${event.type} before message_start`);
      if (this.#events.length === 2) assert.equal(event.type, 'ping', 'a ping follows the start');
      if (event.type !== 'ping') this.#takeBlock(event);
    }
  }

  #takeBlock(event: Event): void {
    assert.equal(
      this.#delta === undefined || event.type === 'message_stop',
      true,
      'blocks after message_delta',
    );
    switch (event.type) {
      case 'content_block_start':
        this.#begin(event);
        return;
      case 'content_block_delta':
        assert.equal(event.index, this.#blocks.length);
        this.#add(event.delta as Json & { type: string });
        return;
      case 'content_block_stop':
        assert.equal(event.index, this.#blocks.length);
        this.#close();
        return;
      case 'message_delta':
        assert.equal(this.#open, undefined, 'message_delta within a block');
        this.#delta = event;
        return;
      case 'message_stop':
        assert.ok(this.#delta, 'message_stop without message_delta');
        this.#stopped = true;
        return;
      default:
        assert.fail(`unknown event ${event.type}`);
    }
  }

  #begin({ index, content_block }: Event): void {
    assert.equal(this.#open, undefined, 'blocks overlap');
    assert.equal(index, this.#blocks.length);
    this.#open = { block: { ...(content_block as Json) }, json: '', signatures: 0 };
  }

  #add(delta: Json & { readonly type: string }): void {
    const open = this.#open;
    assert.ok(open, 'a delta outside of a block');
    const { block } = open;
    const kinds = deltaKinds[String(block.type)];
    assert.ok(kinds?.has(delta.type), `${delta.type} in a block of ${block.type}`);
    assert.equal(open.signatures, 0, 'a delta after the signature');
    if (delta.type === 'text_delta') block.text += String(delta.text);
    if (delta.type === 'thinking_delta') block.thinking += String(delta.thinking);
    if (delta.type === 'input_json_delta') open.json += String(delta.partial_json);
    if (delta.type === 'citations_delta') block.citations = [...(block.citations as []), delta.citation];
    if (delta.type !== 'signature_delta') return;
    block.signature = delta.signature;
    open.signatures += 1;
  }

  #close(): void {
    assert.ok(this.#open, 'a stop without a block');
    const { block, json, signatures } = this.#open;
    if (block.type === 'thinking') assert.equal(signatures, 1, 'a thought without its signature');
    if (block.type === 'text') assert.notEqual(block.text, '', 'an empty text');
    if (String(block.type).endsWith('tool_use')) {
      assert.deepEqual(block.input, {});
      // Arguments that a provider broke are streamed as they are; unstreamed they have this name.
      block.input = parseJson(json) ?? { _raw_arguments: json };
    }
    this.#blocks.push(block);
    this.#open = undefined;
  }
}
