import type { ContentPart } from '../core/content.ts';
import type { CanonicalRequest, Item } from '../core/request.ts';
import type { CustomTool, FunctionTool, Tool } from '../core/tool.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { replaceJsonTokens } from './replace-json-tokens.ts';

/** Where a text stands. */
export interface TextPlace {
  /** Whether the user wrote it. */
  readonly isUser: boolean;
  /** Whether it is the name of a tool or format: calls refer to it, so it cannot be replaced. */
  readonly isName?: boolean;
}

/** Gets every text in turn and returns what to replace it by: the same where it stays. */
export type VisitText = (text: string, place: TextPlace) => string;

const foreign: TextPlace = { isUser: false };
const ofUser: TextPlace = { isUser: true };
const name: TextPlace = { isUser: false, isName: true };
/** Members that are data or addresses and no text. */
const unread = new Set([
  'url',
  'image_url',
  'file_url',
  'file_data',
  'encrypted_content',
  'signature',
  'media_type',
]);

/**
 * Calls back for every text of a request that a model reads, and returns the request with the replacements
 * (docs/spec/guardrails.md#scanned-text). Media, addresses and encrypted members are left out. What stays the same is the same object.
 */
export function rewriteTexts(request: CanonicalRequest, visit: VisitText): CanonicalRequest {
  const rewriter = new TextRewriter(visit);
  return rewriter.request(request);
}

class TextRewriter {
  readonly #visit: VisitText;

  constructor(visit: VisitText) {
    this.#visit = visit;
  }

  request(request: CanonicalRequest): CanonicalRequest {
    const { instructions, items, tools, format, prompt, extra } = request;
    return changed(request, {
      ...(instructions !== undefined && { instructions: this.#visit(instructions, foreign) }),
      items: mapped(items, (item) => this.#item(item)),
      tools: mapped(tools, (tool) => this.#tool(tool)),
      ...(format.kind === 'json_schema' && {
        format: changed(format, {
          name: this.#visit(format.name, name),
          ...(format.description !== undefined && {
            description: this.#visit(format.description, foreign),
          }),
          schema: this.#object(format.schema, foreign),
        }),
      }),
      ...(prompt !== undefined && { prompt: this.#object(prompt, ofUser) }),
      ...(extra !== undefined && {
        extra: changed(extra, { members: this.#object(extra.members, foreign) }),
      }),
    });
  }

  #item(item: Item): Item {
    switch (item.kind) {
      case 'message': {
        const place = item.role === 'user' ? ofUser : foreign;
        return changed(item, { content: mapped(item.content, (part) => this.#part(part, place)) });
      }
      case 'reasoning': {
        const texts = (list: readonly string[]) => mapped(list, (text) => this.#visit(text, foreign));
        const read = changed(item, { summary: texts(item.summary), content: texts(item.content) });
        // Its maker signed the text as it was.
        return read === item ? item : { ...read, signature: undefined, encrypted: undefined };
      }
      case 'call':
        return changed(item, {
          input: item.form === 'function' ? this.#json(item.input) : this.#visit(item.input, foreign),
        });
      case 'call_output':
        return changed(item, { output: mapped(item.output, (part) => this.#part(part, foreign)) });
      case 'hosted':
      case 'service':
        return changed(item, { fields: this.#object(item.fields, foreign) });
      case 'additional_tools':
        return changed(item, {
          tools: mapped(item.tools, (tool) => this.#tool(tool)),
          ...(item.others !== undefined && {
            others: mapped(item.others, (other) => this.#object(other, foreign)),
          }),
        });
      case 'agent_message':
        return changed(item, {
          content: mapped(item.content, (part) =>
            part.kind === 'encrypted' ? part : this.#part(part, foreign),
          ),
        });
      default:
        return item;
    }
  }

  #part(part: ContentPart, place: TextPlace): ContentPart {
    switch (part.kind) {
      case 'text': {
        const citations = part.citations && mapped(part.citations, (one) => this.#object(one, foreign));
        const text = this.#visit(part.text, place);
        if (text === part.text && citations === part.citations) return part;
        // Annotations and log probabilities are about the text as it was.
        return { ...part, text, citations: undefined, annotations: undefined, logprobs: undefined };
      }
      case 'refusal':
        return changed(part, { text: this.#visit(part.text, place) });
      case 'block':
        return changed(part, {
          block: this.#object(part.block, place),
          ...(part.text !== undefined && { text: this.#visit(part.text, place) }),
        });
      case 'file':
        return changed(part, {
          ...(part.filename !== undefined && { filename: this.#visit(part.filename, place) }),
          ...(part.context !== undefined && { context: this.#visit(part.context, place) }),
        });
      default:
        return part;
    }
  }

  #tool(tool: Tool): Tool {
    switch (tool.kind) {
      case 'namespace':
        return changed(tool, {
          name: this.#visit(tool.name, name),
          description: this.#visit(tool.description, foreign),
          tools: mapped(tool.tools, (inner) => this.#clientTool(inner)),
        });
      case 'hosted':
        return changed(tool, { settings: this.#object(tool.settings, foreign) });
      default:
        return this.#clientTool(tool);
    }
  }

  #clientTool<ClientTool extends FunctionTool | CustomTool>(tool: ClientTool): ClientTool {
    const described = changed<FunctionTool | CustomTool>(tool, {
      name: this.#visit(tool.name, name),
      ...(tool.description !== undefined && { description: this.#visit(tool.description, foreign) }),
      ...(tool.kind === 'function' &&
        tool.parameters !== undefined && { parameters: this.#object(tool.parameters, foreign) }),
      ...(tool.kind === 'function' &&
        tool.outputSchema !== undefined && { outputSchema: this.#object(tool.outputSchema, foreign) }),
      ...(tool.kind === 'function' &&
        tool.extra !== undefined && { extra: this.#object(tool.extra, foreign) }),
    });
    return described === tool ? tool : { ...tool, ...described };
  }

  /** JSON text with the strings and numbers in it replaced, so that it stays JSON. */
  #json(text: string): string {
    if (parseJson(text) === undefined) return this.#visit(text, foreign);
    return replaceJsonTokens(text, (token) => {
      const value = token.startsWith('"') ? String(parseJson(token)) : token;
      const replaced = this.#visit(value, foreign);
      return replaced === value ? token : JSON.stringify(replaced);
    });
  }

  #object(object: JsonObject, place: TextPlace): JsonObject {
    let isChanged = false;
    const members: [string, unknown][] = [];
    for (const [key, value] of Object.entries(object)) {
      const newKey = this.#visit(key, place);
      const newValue = unread.has(key) && typeof value === 'string' ? value : this.#value(value, place);
      isChanged ||= newKey !== key || newValue !== value;
      members.push([newKey, newValue]);
    }
    return isChanged ? Object.fromEntries(members) : object;
  }

  #value(value: unknown, place: TextPlace): unknown {
    if (typeof value === 'string') return this.#visit(value, place);
    if (typeof value === 'number') {
      const text = String(value);
      const replaced = this.#visit(text, place);
      return replaced === text ? value : replaced;
    }
    if (Array.isArray(value)) return mapped(value, (one) => this.#value(one, place));
    return isObject(value) ? this.#object(value, place) : value;
  }
}

/** A list with every element mapped; the same list where none changed. */
function mapped<Element, Mapped>(
  list: readonly Element[],
  map: (element: Element) => Mapped,
): readonly (Element | Mapped)[] {
  let copy: (Element | Mapped)[] | undefined;
  for (const [index, element] of list.entries()) {
    const replaced = map(element);
    if (Object.is(replaced, element)) continue;
    copy ??= [...list];
    copy[index] = replaced;
  }
  return copy ?? list;
}

/** An object with some members replaced; the same object where all are as they were. */
function changed<Whole extends object>(whole: Whole, members: Partial<Whole>): Whole {
  for (const key of Object.keys(members) as (keyof Whole)[]) {
    if (members[key] !== whole[key]) return { ...whole, ...members };
  }
  return whole;
}
