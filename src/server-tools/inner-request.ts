import { efforts } from '../core/efforts.ts';
import {
  type CanonicalChat,
  type ContentPart,
  type Item,
  plainChat,
  type ReasoningControl,
} from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** What an entry says of the model that a tool asks: the members that several tools share. */
export interface InnerSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoning?: ReasoningControl;
  readonly instructions?: string;
}

/** Reads the settings of an entry, which were checked. */
export function readInnerSettings(settings: JsonObject): InnerSettings {
  const { max_completion_tokens: most, temperature, reasoning, instructions } = settings;
  return {
    ...(typeof most === 'number' && { maxOutputTokens: most }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(isObject(reasoning) && { reasoning: readReasoning(reasoning) }),
    ...(typeof instructions === 'string' && instructions !== '' && { instructions }),
  };
}

function readReasoning({ effort, max_tokens: maxTokens }: JsonObject): ReasoningControl {
  const known = efforts.find((word) => word === effort);
  return { ...(known && { effort: known }), ...(typeof maxTokens === 'number' && { maxTokens }) };
}

/** A request to a model for a tool, with nothing of the request it works for but what is given. */
export function innerCanonical(items: readonly Item[], settings: InnerSettings): CanonicalChat {
  const { instructions, maxOutputTokens, temperature, reasoning } = settings;
  return plainChat(items, {
    ...(instructions !== undefined && { instructions }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning !== undefined && { reasoning }),
    ...(temperature !== undefined && { sampling: { temperature } }),
    truncation: 'auto',
    compression: true,
  });
}

/** A message of one text. */
export function messageOf(role: 'user' | 'assistant', text: string): Item {
  return { kind: 'message', role, content: [{ kind: 'text', text }] };
}

/**
 * A conversation for a model that has none of its tools: calls and their results become plain text, thoughts are left
 * out.
 */
export function transcriptOf(items: readonly Item[]): readonly Item[] {
  return items.flatMap((item): readonly Item[] => {
    switch (item.kind) {
      case 'message':
        return [item];
      case 'call':
        return [messageOf('assistant', `(I called ${item.name} with ${item.input})`)];
      case 'call_output':
        return [messageOf('user', `(Its result: ${item.output.map(wordsOf).join('')})`)];
      case 'hosted':
      case 'service':
        return [messageOf('assistant', `(I used ${item.type}: ${JSON.stringify(item.fields)})`)];
      default:
        return [];
    }
  });
}

function wordsOf(part: ContentPart): string {
  return part.kind === 'text' ? part.text : `[${part.kind}]`;
}
