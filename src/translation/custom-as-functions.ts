import { clientTools, offeredTools, qualifiedName } from '../core/client-tools.ts';
import type { CustomTool, FunctionTool, Item, Tool, ToolChoice } from '../core/request.ts';
import { JsonStringReader } from './json-string-reader.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import type { Restorer } from './translation.ts';

/**
 * Emulates tools with free-text input by functions with one string, and describes grammars in text
 * (docs/spec/tools.md#kinds).
 */
export function rewriteCustomTools(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('tool.custom') !== undefined) playByFunctions(rewriter);
  else if (rewriter.emulationOf('tool.custom.grammar') !== undefined) {
    rewriter.mapTools((tool) => mapClientTools(tool, describe));
    rewriter.note('tool.custom.grammar', 'emulated', 'told in the description; nothing enforces it');
  }
}

function playByFunctions(rewriter: RequestRewriter): void {
  const custom = clientTools(offeredTools(rewriter.request)).filter(({ tool }) => tool.kind === 'custom');
  rewriter.mapTools((tool) => mapClientTools(tool, toFunction));
  rewriter.mapItems(toFunctionItem);
  rewriter.change({ toolChoice: toFunctionChoice(rewriter.request.toolChoice) });
  rewriter.note(
    'tool.custom',
    'emulated',
    'offered as a function with one string; calls come back as free text',
  );
  if (rewriter.uses('tool.custom.grammar')) {
    rewriter.note('tool.custom.grammar', 'emulated', 'told in the description; nothing enforces it');
  }
  const names = new Set(custom.map(({ tool, namespace }) => qualifiedName(tool.name, namespace)));
  if (names.size > 0) rewriter.restorers.push(createUnwrapper(names));
}

function mapClientTools(tool: Tool, rewrite: (tool: CustomTool) => FunctionTool | CustomTool): Tool {
  if (tool.kind === 'custom') return rewrite(tool);
  if (tool.kind !== 'namespace') return tool;
  const members = tool.tools.map((member) => (member.kind === 'custom' ? rewrite(member) : member));
  return { ...tool, tools: members };
}

function describe({ grammar, ...tool }: CustomTool): CustomTool {
  if (grammar === undefined) return tool;
  const rule = `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`;
  return { ...tool, description: tool.description ? `${tool.description}\n\n${rule}` : rule };
}

function toFunction(tool: CustomTool): FunctionTool {
  const { name, description, async } = describe(tool);
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole input of the tool, as free text.' } },
    required: ['input'],
    additionalProperties: false,
  };
  return { kind: 'function', name, description, parameters, async };
}

function toFunctionItem(item: Item): Item {
  if (item.kind === 'call' && item.form === 'custom') {
    return { ...item, form: 'function', input: JSON.stringify({ input: item.input }) };
  }
  return item.kind === 'call_output' && item.form === 'custom' ? { ...item, form: 'function' } : item;
}

function toFunctionChoice(choice: ToolChoice): ToolChoice {
  return choice.kind === 'tool' && choice.form === 'custom' ? { ...choice, form: 'function' } : choice;
}

/** Turns calls of the named functions back into calls with free text, as it arrives. */
function createUnwrapper(names: ReadonlySet<string>): Restorer {
  const unwrappers = new Map<number, TextInputUnwrapper>();
  return (delta, emit) => {
    if (delta.kind === 'call' && names.has(qualifiedName(delta.name, delta.namespace))) {
      unwrappers.set(delta.block, new TextInputUnwrapper());
      emit({ ...delta, form: 'custom' });
      return;
    }
    const unwrapper = 'block' in delta ? unwrappers.get(delta.block) : undefined;
    if (unwrapper?.closed) return;
    if (delta.kind !== 'arguments' || unwrapper === undefined) emit(delta);
    else {
      const text = unwrapper.push(delta.text);
      if (text !== '') emit({ ...delta, text });
      // Some dialects never send an end, and free text has no visible end.
      if (unwrapper.closed) emit({ kind: 'end', block: delta.block });
    }
  };
}

const opening = /^\s*\{\s*"input"\s*:\s*"/;
const compactOpening = '{"input":"';

/**
 * Extracts the free text from `{"input":"..."}` while the JSON arrives, where a function with one string property
 * `input` emulates a custom tool. Fragments may be split anywhere; the results of `push`, joined, are the decoded
 * string. Text of any other shape passes unchanged, so that a model that forgot the wrapping still reaches its tool;
 * `{}` means an empty input.
 */
export class TextInputUnwrapper {
  #stage: 'opening' | 'text' | 'closed' | 'raw' = 'opening';
  #buffered = '';
  readonly #reader = new JsonStringReader();

  /** Whether the free text is complete. */
  get closed(): boolean {
    return this.#stage === 'closed';
  }

  /** Returns the text that this fragment completes; may be empty. */
  push(fragment: string): string {
    if (this.#stage === 'closed') return '';
    if (this.#stage === 'raw') return fragment;
    if (this.#stage === 'text') return this.#read(fragment);
    const text = this.#buffered + fragment;
    this.#buffered = '';
    return this.#open(text);
  }

  #open(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'text';
      return this.#read(text.slice(match[0].length));
    }
    const compact = text.replace(/\s+/g, '');
    if (compactOpening.startsWith(compact) && compact.length < compactOpening.length) {
      this.#buffered = text;
      return '';
    }
    this.#stage = compact === '{}' ? 'closed' : 'raw';
    return this.#stage === 'raw' ? text : '';
  }

  #read(text: string): string {
    const output = this.#reader.push(text);
    if (this.#reader.closed) this.#stage = 'closed';
    return output;
  }
}
