import assert from 'node:assert/strict';
import { HostedProgress, hostedGrammar } from './hosted-grammar.ts';

/** An event as a client reads it. */
export type WireEvent = {
  readonly type: string;
  readonly sequence_number: number;
  readonly [key: string]: unknown;
};
type Json = { readonly [key: string]: unknown };

/**
 * Enforces the grammar of docs/spec/answers.md#order-of-events on a whole stream, written from the specification and
 * sharing nothing with the assembler. Fails by assertion, naming the event; returns the terminal response.
 */
export function checkStream(events: readonly WireEvent[]): Json {
  const checker = new StreamChecker();
  events.forEach((event, index) => {
    assert.equal(event.sequence_number, index, `event ${index} (${event.type}) has the wrong number`);
    checker.read(event);
  });
  return checker.end();
}

interface OpenPart {
  readonly kind: string;
  readonly index: number;
  text: string;
  deltas: number;
  annotations: unknown[];
  logprobs: unknown[];
  done: boolean;
}

interface OpenItem {
  readonly id: unknown;
  readonly type: unknown;
  readonly index: number;
  readonly added: Json;
  readonly parts: Json[];
  readonly summaries: Json[];
  part: OpenPart | undefined;
  input: string;
  inputDone: boolean;
  /** Set for items of tools with kinds of their own. */
  readonly hosted: HostedProgress | undefined;
}

const terminals = new Set(['response.completed', 'response.incomplete', 'response.failed']);
const itemStatuses = new Set(['completed', 'incomplete']);

class StreamChecker {
  #stage: 'start' | 'created' | 'running' | 'errored' | 'over' = 'start';
  #first: Json = {};
  /** Open items by place: at most one of the model's, and any number of the provider's tools'. */
  readonly #open = new Map<unknown, OpenItem>();
  readonly #done = new Map<number, Json>();
  readonly #ids = new Set<unknown>();
  #added = 0;
  #terminal: Json = {};

  read(event: WireEvent): void {
    assert.ok(!event.error, `${event.type} has a top-level error`);
    assert.notEqual(this.#stage, 'over', `${event.type} after the terminal event`);
    if (event.type === 'response.debug') return;
    if (event.type === 'response.created') {
      this.#created(event);
      return;
    }
    if (event.type === 'response.in_progress') {
      this.#inProgress(event);
      return;
    }
    assert.ok(this.#stage === 'running' || this.#stage === 'errored', `${event.type} before in_progress`);
    if (terminals.has(event.type)) {
      this.#end(event);
      return;
    }
    assert.equal(this.#stage, 'running', `${event.type} after an error event`);
    if (event.type === 'error') {
      this.#error(event);
      return;
    }
    if (event.type === 'response.output_item.added') {
      this.#begin(event);
      return;
    }
    const item = this.#here(event);
    if (event.type === 'response.output_item.done') {
      this.#itemDone(item, event);
      return;
    }
    this.#inside(item, event);
  }

  end(): Json {
    assert.equal(this.#stage, 'over', 'the stream has no terminal event');
    return this.#terminal;
  }

  #created(event: WireEvent): void {
    assert.equal(this.#stage, 'start', 'created twice');
    this.#first = object(event.response);
    assert.equal(this.#first.status, 'in_progress');
    assert.deepEqual(this.#first.output, []);
    assert.equal(this.#first.usage, null);
    assert.ok(!('service_metadata' in this.#first), 'metadata before the terminal snapshot');
    this.#stage = 'created';
  }

  #inProgress(event: WireEvent): void {
    assert.ok(this.#stage === 'created' || this.#stage === 'running', 'in_progress must follow created');
    assert.deepEqual(event.response, this.#first);
    this.#stage = 'running';
  }

  #error(event: WireEvent): void {
    assert.equal(typeof event.message, 'string');
    assert.ok('code' in event && 'param' in event, 'error lacks code or param');
    this.#stage = 'errored';
  }

  #begin(event: WireEvent): void {
    assert.equal(event.output_index, this.#added, 'output_index is not dense');
    const added = object(event.item);
    assert.ok(typeof added.id === 'string' && added.id !== '', 'item without id');
    assert.ok(!this.#ids.has(added.id), 'two items have one id');
    this.#ids.add(added.id);
    if (isOfModel(added)) {
      const rival = [...this.#open.values()].find((open) => isOfModel(open.added));
      assert.equal(rival, undefined, `${added.type} overlaps ${rival?.type}`);
    }
    const grammar = hostedGrammar[String(added.type)];
    if (grammar === undefined) checkAnnounced(added);
    this.#open.set(this.#added, {
      id: added.id,
      type: added.type,
      index: this.#added,
      added,
      parts: [],
      summaries: [],
      part: undefined,
      input: '',
      inputDone: false,
      hosted: grammar && new HostedProgress(added, grammar),
    });
    this.#added += 1;
  }

  #here(event: WireEvent): OpenItem {
    const item = this.#open.get(event.output_index);
    assert.ok(item !== undefined, `${event.type} outside an item`);
    if ('item_id' in event) assert.equal(event.item_id, item.id, `${event.type} has the wrong item_id`);
    else assert.equal(event.type, 'response.output_item.done', `${event.type} has no item_id`);
    return item;
  }

  #inside(item: OpenItem, event: WireEvent): void {
    const name = event.type.replace('response.', '');
    if (item.hosted !== undefined) {
      item.hosted.read(name, event);
      return;
    }
    switch (name) {
      case 'content_part.added':
        this.#partAdded(item, object(event.part), event.content_index, item.parts.length);
        return;
      case 'reasoning_summary_part.added':
        this.#partAdded(item, object(event.part), event.summary_index, item.summaries.length);
        return;
      case 'output_text.delta':
        item.part?.logprobs.push(...list(event.logprobs));
        this.#delta(item, 'output_text', event);
        return;
      case 'refusal.delta':
        this.#delta(item, 'refusal', event);
        return;
      case 'reasoning_text.delta':
        this.#delta(item, 'reasoning_text', event);
        return;
      case 'reasoning_summary_text.delta':
        this.#delta(item, 'summary_text', event);
        return;
      case 'output_text.annotation.added': {
        const part = this.#openPart(item, 'output_text', event);
        assert.equal(event.annotation_index, part.annotations.length);
        part.annotations.push(event.annotation);
        return;
      }
      case 'output_text.done':
        assert.deepEqual(event.logprobs, item.part?.logprobs);
        this.#textDone(item, 'output_text', event, event.text);
        return;
      case 'refusal.done':
        this.#textDone(item, 'refusal', event, event.refusal);
        return;
      case 'reasoning_text.done':
        this.#textDone(item, 'reasoning_text', event, event.text);
        return;
      case 'reasoning_summary_text.done':
        this.#textDone(item, 'summary_text', event, event.text);
        return;
      case 'content_part.done':
        item.parts.push(this.#partDone(item, event));
        return;
      case 'reasoning_summary_part.done':
        item.summaries.push(this.#partDone(item, event));
        return;
      case 'function_call_arguments.delta':
      case 'custom_tool_call_input.delta':
        this.#inputDelta(item, event);
        return;
      case 'function_call_arguments.done':
        assert.equal(event.name, item.added.name);
        this.#inputDone(item, 'function_call', event.arguments);
        return;
      case 'custom_tool_call_input.done':
        this.#inputDone(item, 'custom_tool_call', event.input);
        return;
      default:
        assert.fail(`unknown event ${event.type}`);
    }
  }

  #partAdded(item: OpenItem, part: Json, index: unknown, expected: number): void {
    assert.equal(item.part, undefined, 'parts overlap');
    assert.equal(index, expected, 'part index is not dense');
    const kind = String(part.type);
    const home = kind === 'output_text' || kind === 'refusal' ? 'message' : 'reasoning';
    assert.equal(item.type, home, `a ${kind} part in a ${String(item.type)}`);
    assert.equal(part.text ?? part.refusal, '');
    if (kind === 'output_text') assert.deepEqual([part.annotations, part.logprobs], [[], []]);
    item.part = { kind, index: expected, text: '', deltas: 0, annotations: [], logprobs: [], done: false };
  }

  #openPart(item: OpenItem, kind: string, event: WireEvent): OpenPart {
    const part = item.part;
    assert.ok(part !== undefined, `${event.type} outside a part`);
    assert.equal(part.kind, kind, `${event.type} in a ${part.kind} part`);
    assert.equal(event.content_index ?? event.summary_index, part.index);
    assert.ok(!part.done, `${event.type} after the part's text was done`);
    return part;
  }

  #delta(item: OpenItem, kind: string, event: WireEvent): void {
    const part = this.#openPart(item, kind, event);
    assert.ok(typeof event.delta === 'string' && event.delta !== '', 'empty delta');
    part.text += event.delta;
    part.deltas += 1;
  }

  #textDone(item: OpenItem, kind: string, event: WireEvent, text: unknown): void {
    const part = this.#openPart(item, kind, event);
    assert.equal(text, part.text, 'done text differs from its deltas');
    part.done = true;
  }

  #partDone(item: OpenItem, event: WireEvent): Json {
    const part = item.part;
    assert.ok(part?.done, 'part closed before its text was done');
    assert.equal(event.content_index ?? event.summary_index, part.index);
    const value = object(event.part);
    assert.equal(value.type, part.kind);
    assert.equal(value.text ?? value.refusal, part.text);
    if (part.kind === 'output_text') {
      assert.deepEqual(value.annotations, part.annotations);
      for (const annotation of part.annotations) checkPlace(annotation, part.text);
      assert.deepEqual(value.logprobs, part.logprobs);
    }
    item.part = undefined;
    return value;
  }

  #inputDelta(item: OpenItem, event: WireEvent): void {
    assert.ok(!item.inputDone, 'input after it was done');
    assert.ok(typeof event.delta === 'string' && event.delta !== '', 'empty delta');
    item.input += event.delta;
  }

  #inputDone(item: OpenItem, type: string, value: unknown): void {
    assert.equal(item.type, type);
    assert.ok(!item.inputDone, 'input done twice');
    assert.equal(value, item.input, 'done input differs from its deltas');
    item.inputDone = true;
  }

  #itemDone(item: OpenItem, event: WireEvent): void {
    assert.equal(item.part, undefined, 'item closed with an open part');
    const value = object(event.item);
    for (const key of ['id', 'type', 'name', 'call_id', 'role'])
      assert.deepEqual(value[key], item.added[key]);
    item.hosted?.done(value);
    if (item.hosted === undefined)
      assert.ok(itemStatuses.has(String(value.status)), 'item closed without a final status');
    if (item.type === 'message') assert.deepEqual(value.content, item.parts);
    if (item.type === 'reasoning') {
      assert.deepEqual([value.content, value.summary], [item.parts, item.summaries]);
    }
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      assert.ok(item.inputDone, 'call closed before its input was done');
      assert.equal(value.arguments ?? value.input, item.input);
      if (item.type === 'function_call' && value.status === 'completed') assert.notEqual(item.input, '');
    }
    this.#done.set(item.index, value);
    this.#open.delete(item.index);
  }

  #end(event: WireEvent): void {
    const response = object(event.response);
    const status = event.type.replace('response.', '');
    assert.equal(response.status, status);
    assert.equal(response.id, this.#first.id);
    assert.equal(response.model, this.#first.model);
    const output = list(response.output).map(object);
    if (status === 'failed') this.#checkFailed(response, output);
    else {
      assert.equal(this.#stage, 'running', 'error event before a regular end');
      this.#leaveSuspended(output);
      assert.equal(this.#open.size, 0, `${status} with an open item`);
      assert.deepEqual(output, this.#closed());
      assert.equal(response.error, null);
      assert.ok(!('error_type' in response));
    }
    assert.equal(typeof response.completed_at, status === 'completed' ? 'number' : 'object');
    const details = response.incomplete_details;
    if (status === 'incomplete')
      assert.match(String(object(details).reason), /^(max_output_tokens|content_filter)$/);
    else assert.equal(details, null);
    const cut = output.filter((item) => item.status === 'incomplete');
    const last = output.findLast(isOfModel);
    assert.ok(cut.length === 0 || (cut.length === 1 && cut[0] === last), 'only the last item may be cut');
    if (status === 'completed') assert.equal(cut.length, 0, 'a completed response has a cut item');
    this.#terminal = response;
    this.#stage = 'over';
  }

  /** A worker that waits for calls of the client never ends; what began it stays as it is. */
  #leaveSuspended(output: readonly Json[]): void {
    const waiting = new Set(
      output.flatMap(({ type, subagent_id: id }) => (type === 'function_call' ? id : [])),
    );
    for (const { added, index } of [...this.#open.values()]) {
      if (added.type !== 'service:subagent' || !waiting.has(added.call_id)) continue;
      this.#done.set(index, added);
      this.#open.delete(index);
    }
  }

  #checkFailed(response: Json, output: readonly Json[]): void {
    assert.ok(response.error !== null && typeof response.error_type === 'string');
    assert.equal(output.length, this.#added);
    for (const [index, item] of this.#done) assert.deepEqual(output[index], item);
    for (const [index, open] of this.#open) {
      const item = output[Number(index)] ?? {};
      assert.deepEqual([item.id, item.type], [open.id, open.type]);
      open.hosted?.abandoned(item);
      if (open.hosted === undefined) assert.equal(item.status, 'incomplete');
    }
  }

  #closed(): Json[] {
    const places = [...this.#done.keys()].sort((left, right) => left - right);
    return places.map((place) => this.#done.get(place) ?? {});
  }
}

function isOfModel({ type }: Json): boolean {
  return hostedGrammar[String(type)]?.ofModel ?? true;
}

/** Citations stand within their text. */
function checkPlace(annotation: unknown, text: string): void {
  const { type, start_index, end_index } = object(annotation);
  if (type !== 'url_citation') return;
  const [start, end] = [Number(start_index), Number(end_index)];
  assert.ok(0 <= start && start <= end && end <= text.length, `a citation of ${start} to ${end}`);
}

function checkAnnounced(added: Json): void {
  assert.equal(added.status, 'in_progress');
  const empty = { message: { content: [] }, reasoning: { content: [], summary: [] } }[String(added.type)];
  for (const [key, value] of Object.entries(empty ?? {})) assert.deepEqual(added[key], value);
  if (added.type === 'function_call') assert.equal(added.arguments, '');
  if (added.type === 'custom_tool_call') assert.equal(added.input, '');
}

function object(value: unknown): Json {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), 'expected an object');
  return value as Json;
}

function list(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), 'expected a list');
  return value;
}
