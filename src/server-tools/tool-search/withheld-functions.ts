import type { FunctionTool, Tool } from '../../core/request.ts';

/** Functions of the client that its model is not offered until they are found. */
export class WithheldFunctions {
  readonly #hidden: Map<string, FunctionTool>;
  readonly #all: ReadonlySet<string>;
  readonly #found = new Map<string, FunctionTool>();

  constructor(functions: readonly FunctionTool[]) {
    this.#hidden = new Map(functions.map((one) => [one.name, one]));
    this.#all = new Set(this.#hidden.keys());
  }

  /** Whether a function is hidden still, or found so late that the model was not offered it yet. */
  has(name: string): boolean {
    return this.#hidden.has(name) || this.#found.has(name);
  }

  /** Whether a tool is one of them, found or not. */
  isOne(tool: Tool): boolean {
    return tool.kind === 'function' && this.#all.has(tool.name);
  }

  /** Marks a function as found; nothing where it is not hidden. */
  find(name: string): void {
    const found = this.#hidden.get(name);
    if (found === undefined) return;
    this.#hidden.delete(name);
    this.#found.set(name, found);
  }

  /** What was found since this was asked last, in that order: from now on it is offered. */
  takeFound(): readonly FunctionTool[] {
    const found = [...this.#found.values()];
    this.#found.clear();
    return found;
  }
}
