import { createHash } from 'node:crypto';
import type { NameRule } from '../core/features.ts';
import type { CanonicalRequest, Item, Tool, ToolChoice } from '../core/request.ts';
import type { Draft } from './draft.ts';

const hashLength = 8;

/** Whether an endpoint takes the names of all functions and custom tools of a request, those of earlier calls included. */
export function takesToolNames({ tools, items }: CanonicalRequest, rule: NameRule | undefined): boolean {
  if (rule === undefined) return true;
  const isTaken = (tool: Tool) => !isNamed(tool) || fits(tool.name, rule);
  return (
    tools.every(isTaken) &&
    items.every((item) => {
      if (item.kind === 'call') return fits(item.name, rule);
      return item.kind !== 'additional_tools' || item.tools.every(isTaken);
    })
  );
}

/**
 * Gives tools whose names the endpoint refuses names that it takes, everywhere in the conversation, and turns its calls back
 * (docs/spec/tools.md#names). The same name always gets the same one, so that cached prefixes stay valid.
 */
export function fitToolNames(draft: Draft): void {
  const rule = draft.destination.support.toolNames;
  if (rule === undefined || takesToolNames(draft.request, rule)) return;
  const names = new FittingNames(draft.request, rule);
  const rename = <Named extends { readonly name: string }>(named: Named): Named => ({
    ...named,
    name: names.of(named.name),
  });
  const { tools } = draft.request;
  for (const [at, tool] of tools.entries()) {
    if (!isNamed(tool) || fits(tool.name, rule)) continue;
    const how = `called ${names.of(tool.name)} there, and turned back`;
    draft.noteField(`tools[${at}].name`, 'emulated', how);
  }
  draft.mapTools((tool) => (isNamed(tool) ? rename(tool) : tool));
  draft.mapItems((item): Item => (item.kind === 'call' ? rename(item) : item));
  draft.change({ toolChoice: renameChoice(draft.request.toolChoice, names) });
  draft.restorers.push((delta, emit) => {
    const name = delta.kind === 'call' ? names.original(delta.name) : undefined;
    emit(delta.kind === 'call' && name !== undefined ? { ...delta, name } : delta);
  });
}

/** Names that fit, each for one original. */
class FittingNames {
  readonly #rule: NameRule;
  readonly #fitting = new Map<string, string>();
  readonly #originals = new Map<string, string>();

  constructor({ tools, items }: CanonicalRequest, rule: NameRule) {
    this.#rule = rule;
    const given = [
      ...tools.flatMap((tool) => (isNamed(tool) ? tool.name : [])),
      ...items.flatMap((item) => (item.kind === 'call' ? item.name : [])),
    ];
    const kept = new Set(given.filter((name) => fits(name, rule)));
    for (const name of new Set(given)) {
      if (kept.has(name)) continue;
      const fitting = this.#fit(name, kept);
      kept.add(fitting);
      this.#fitting.set(name, fitting);
      this.#originals.set(fitting, name);
    }
  }

  of(name: string): string {
    return this.#fitting.get(name) ?? name;
  }

  original(name: string): string | undefined {
    return this.#originals.get(name);
  }

  #fit(name: string, taken: ReadonlySet<string>): string {
    const { longest, begins } = this.#rule;
    const letters = name.replace(/[^a-zA-Z0-9_-]/g, '_');
    const readable = begins.test(letters) ? letters : `_${letters}`;
    if (readable.length <= longest && !taken.has(readable)) return readable;
    const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
    return `${readable.slice(0, longest - hashLength - 1)}_${hash}`;
  }
}

function isNamed(tool: Tool): tool is Extract<Tool, { kind: 'function' | 'custom' }> {
  return tool.kind === 'function' || tool.kind === 'custom';
}

function fits(name: string, { longest, begins, refused }: NameRule): boolean {
  return name.length <= longest && begins.test(name) && !refused.test(name);
}

function renameChoice(choice: ToolChoice, names: FittingNames): ToolChoice {
  if (choice.kind === 'allowed') return { ...choice, names: choice.names.map((name) => names.of(name)) };
  return choice.kind === 'tool' ? { ...choice, name: names.of(choice.name) } : choice;
}
