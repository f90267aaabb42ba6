import assert from 'node:assert/strict';

type Json = { readonly [key: string]: unknown };

/**
 * What docs/spec/items.md#kinds, docs/spec/answers.md#event-types, docs/spec/answers.md#events-of-items say of one kind
 * of item between its `added` and its `done`.
 */
export interface HostedGrammar {
  /** Whether it is an item of the model, which overlaps no other of the model's. */
  readonly ofModel: boolean;
  /** How it may stand in the end; empty for kinds without a status. */
  readonly statuses: readonly string[];
  /** The short names of its events, without repeated deltas, where it is completed, and where it is not. */
  readonly whole: RegExp;
  readonly broken: RegExp;
  /** The prefix of its text events and the member of the `done` event. */
  readonly text?: { readonly stem: string; readonly member: string; written(item: Json): unknown };
  /** Members the finished item must have, with their types. */
  readonly members: Readonly<
    Record<string, 'string' | 'list' | 'object' | 'null or list' | 'null or string'>
  >;
}

const failable = ['completed', 'failed'];
const nothing = /^$/;
const searching = {
  ofModel: false,
  statuses: failable,
  whole: /^in_progress searching completed$/,
  broken: /^in_progress( searching)?$/,
};
const silent = { whole: nothing, broken: nothing };
const quiet = { ...silent, ofModel: false, statuses: ['completed', 'incomplete'] };

/** The grammar of every item with a kind of its own, by its public type. */
export const hostedGrammar: Readonly<Record<string, HostedGrammar>> = {
  web_search_call: { ...searching, members: {} },
  'service:web_search': { ...searching, members: { action: 'object' } },
  'service:datetime': { ...quiet, members: { datetime: 'string', timezone: 'string' } },
  'service:web_fetch': { ...quiet, members: { url: 'string' } },
  'service:experimental__search_models': { ...quiet, members: { query: 'string' } },
  'service:tool_search': { ...quiet, members: { query: 'string' } },
  'service:files': { ...quiet, members: { call_id: 'string', arguments: 'string' } },
  'service:apply_patch': { ...quiet, members: { call_id: 'string', operation: 'object' } },
  'service:shell': { ...quiet, members: { action: 'object', arguments: 'string' } },
  'service:bash': { ...quiet, members: { command: 'string', arguments: 'string' } },
  'service:advisor': { ...quiet, statuses: failable, members: {} },
  'service:subagent': { ...quiet, statuses: failable, members: { call_id: 'string' } },
  'service:fusion': {
    ...quiet,
    whole: /^in_progress( panel)*( analysis){0,2} completed$/,
    broken: /^in_progress( panel)*( analysis)*$/,
    members: {},
  },
  'service:image_generation': {
    ...quiet,
    whole: /^in_progress generating( partial_image)* completed$/,
    broken: /^in_progress( generating( partial_image)*)?$/,
    members: {},
  },
  file_search_call: { ...searching, members: { queries: 'list' } },
  image_generation_call: {
    ofModel: false,
    statuses: failable,
    whole: /^in_progress generating( partial_image)* completed$/,
    broken: /^in_progress( generating( partial_image)*)?$/,
    members: { result: 'string' },
  },
  code_interpreter_call: {
    ofModel: false,
    statuses: failable,
    whole: /^in_progress( (delta )?done)? interpreting completed$/,
    broken: /^in_progress( (delta )?done)?( interpreting)?$/,
    text: {
      stem: 'code_interpreter_call_code',
      member: 'code',
      written: (item) => item.code,
    },
    members: { code: 'null or string', container_id: 'string', outputs: 'null or list' },
  },
  computer_call: {
    ...silent,
    ofModel: true,
    statuses: ['completed', 'incomplete'],
    members: { call_id: 'string', pending_safety_checks: 'list' },
  },
  shell_call: {
    ...silent,
    ofModel: true,
    statuses: ['completed', 'incomplete'],
    members: { call_id: 'string', action: 'object' },
  },
  shell_call_output: {
    ...silent,
    ofModel: false,
    statuses: ['completed', 'in_progress'],
    members: { call_id: 'string', output: 'list' },
  },
  apply_patch_call: {
    ofModel: true,
    statuses: ['completed', 'in_progress'],
    whole: /^((delta )?done)?$/,
    broken: /^((delta )?done)?$/,
    text: {
      stem: 'apply_patch_call_operation_diff',
      member: 'diff',
      written: (item) => (item.operation as Json | undefined)?.diff,
    },
    members: { call_id: 'string', operation: 'object' },
  },
  mcp_list_tools: {
    ofModel: false,
    statuses: [],
    whole: /^in_progress (completed|failed)$/,
    broken: /^in_progress failed$/,
    members: { server_label: 'string', tools: 'list' },
  },
  mcp_approval_request: {
    ...silent,
    ofModel: true,
    statuses: [],
    members: { server_label: 'string', name: 'string', arguments: 'string' },
  },
  mcp_call: {
    ofModel: false,
    statuses: failable,
    whole: /^in_progress (delta )?done completed$/,
    broken: /^in_progress (delta )?done failed$/,
    text: { stem: 'mcp_call_arguments', member: 'arguments', written: (item) => item.arguments },
    members: { server_label: 'string', name: 'string', arguments: 'string' },
  },
};

/** What was seen of one open item of such a kind. */
export class HostedProgress {
  readonly #type: string;
  readonly #grammar: HostedGrammar;
  readonly #seen: string[] = [];
  #text = '';

  constructor(added: Json, grammar: HostedGrammar) {
    this.#type = String(added.type).replace(/^service:(\w+)$/, '$1_call');
    this.#grammar = grammar;
    if (grammar.statuses.length > 0) assert.equal(added.status, 'in_progress');
    else assert.ok(!('status' in added), `${this.#type} has a status`);
    const written = grammar.text?.written(added);
    assert.ok(!written, `${this.#type} is announced with text`);
    if (added.type === 'image_generation_call') assert.equal(added.result, null);
  }

  read(name: string, event: Json): void {
    const [stem = '', step = ''] = name.split('.');
    const { text } = this.#grammar;
    if (stem !== this.#type) assert.equal(stem, text?.stem, `${name} in a ${this.#type}`);
    if (stem !== this.#type && step === 'delta') {
      assert.ok(!this.#seen.includes('done'), 'text after it was done');
      assert.ok(typeof event.delta === 'string' && event.delta !== '', 'empty delta');
      this.#text += event.delta;
      if (this.#seen.at(-1) === 'delta') return;
    }
    if (stem !== this.#type && step === 'done') assert.equal(event[text?.member ?? ''], this.#text);
    if (step === 'partial_image') {
      assert.equal(typeof event.partial_image_b64, 'string');
      assert.equal(typeof event.partial_image_index, 'number');
    }
    this.#seen.push(step);
  }

  /** Checks the item as it was closed. */
  done(item: Json): void {
    const { statuses, whole, broken, text } = this.#grammar;
    const { status } = item;
    if (statuses.length > 0) assert.ok(statuses.includes(String(status)), `${this.#type} ends as ${status}`);
    const events = this.#seen.join(' ');
    assert.match(events, status === 'completed' || status === undefined ? whole : broken, this.#type);
    this.checkMembers(item);
    if (text === undefined) return;
    const written = text.written(item);
    if (this.#seen.includes('done')) assert.equal(written, this.#text, 'the text differs from its deltas');
    else assert.ok(!written, `${this.#type} has text nobody told`);
  }

  /** Checks an item that a failure left open. */
  abandoned(item: Json): void {
    if (this.#grammar.statuses.length > 0) assert.ok(typeof item.status === 'string');
    this.checkMembers(item);
  }

  checkMembers(item: Json): void {
    for (const [name, type] of Object.entries(this.#grammar.members)) {
      assert.equal(isOf(item[name], type), true, `${this.#type}.${name} is no ${type}`);
    }
    if (this.#type === 'shell_call') {
      const action = item.action as Json;
      assert.ok('timeout_ms' in action && 'max_output_length' in action && Array.isArray(action.commands));
    }
    const tools = this.#type === 'mcp_list_tools' ? (item.tools as Json[]) : [];
    for (const tool of tools) assert.notEqual(tool.description, null);
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type.startsWith('null or ') && value === null) return true;
  if (type.endsWith('list')) return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null;
  return typeof value === 'string';
}
