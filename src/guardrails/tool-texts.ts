import type { CustomTool, FunctionTool, NamespaceTool, ServiceTool, Tool, ToolChoice } from '../core/tool.ts';
import { changed, type FreeObjects, fixed, foreign, mapped, type TextVisitor } from './free-objects.ts';

/** Characters of the description of a namespace that are read with that of each tool. */
const tailLength = 256;

/** Replaces the texts of tools. */
export class ToolTexts {
  readonly #visitor: TextVisitor;
  readonly #free: FreeObjects;

  constructor(visitor: TextVisitor, free: FreeObjects) {
    this.#visitor = visitor;
    this.#free = free;
  }

  choice(choice: ToolChoice): void {
    if (choice.kind === 'tool') this.#fixed([choice.name, choice.namespace]);
    else if (choice.kind === 'allowed') this.#fixed(choice.names);
    else if (choice.kind === 'hosted') this.#fixed([choice.type]);
  }

  tool(tool: Tool): Tool {
    switch (tool.kind) {
      case 'namespace':
        return this.#namespace(tool);
      case 'hosted':
        this.#fixed([tool.type]);
        return changed(tool, { settings: this.#free.wire(tool.settings, foreign) });
      default:
        return this.#clientTool(tool);
    }
  }

  serviceTool(tool: ServiceTool): ServiceTool {
    this.#fixed([tool.spelled]);
    return changed(tool, { settings: this.#free.wire(tool.settings, foreign) });
  }

  /** Where an endpoint has no namespaces, its description stands before that of each tool, and its name too. */
  #namespace(namespace: NamespaceTool): NamespaceTool {
    this.#fixed([namespace.name]);
    let description = this.#text(namespace.description);
    const tail = endOf(namespace.description);
    const tools = mapped(namespace.tools, (tool) => {
      this.#fixed([joinedName(namespace.name, tool.name)]);
      const read = this.#clientTool(tool);
      if (tool.description === undefined) return read;
      const [before = tail, own = tool.description] = this.#visitor.joined([tail, tool.description], foreign);
      if (before !== tail) description = namespace.description.slice(0, -tail.length) + before;
      return changed<FunctionTool | CustomTool>(read, { description: own });
    });
    return changed(namespace, { description, tools });
  }

  #clientTool<ClientTool extends FunctionTool | CustomTool>(tool: ClientTool): ClientTool {
    this.#fixed([tool.name]);
    const { description } = tool;
    const read = {
      ...(description !== undefined && { description: this.#text(description) }),
      ...(tool.kind === 'function' ? this.#ofFunction(tool) : this.#ofCustom(tool)),
    };
    return changed<FunctionTool | CustomTool>(tool, read) as ClientTool;
  }

  #ofFunction({ parameters, outputSchema, extra }: FunctionTool): Partial<FunctionTool> {
    return {
      ...(parameters && { parameters: this.#free.plain(parameters, foreign) }),
      ...(outputSchema && { outputSchema: this.#free.plain(outputSchema, foreign) }),
      ...(extra && { extra: this.#free.wire(extra, foreign) }),
    };
  }

  #ofCustom({ grammar }: CustomTool): Partial<CustomTool> {
    if (grammar === undefined) return {};
    return { grammar: changed(grammar, { definition: this.#text(grammar.definition) }) };
  }

  #text(text: string): string {
    return this.#visitor.text(text, foreign);
  }

  /** Words that must stay as they are. */
  #fixed(texts: readonly (string | undefined)[]): void {
    for (const text of texts) if (text !== undefined) this.#visitor.text(text, fixed);
  }
}

/** The name of a tool where an endpoint has no namespaces. */
export function joinedName(namespace: string, name: string): string {
  return `${namespace}__${name}`;
}

/** The last words of a description: all of it before every tool would be read too often. */
function endOf(text: string): string {
  if (text.length <= tailLength) return text;
  const tail = text.slice(-tailLength);
  return tail.slice(tail.search(/\s/) + 1);
}
