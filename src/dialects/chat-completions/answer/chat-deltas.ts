import type { ExecutedPart } from '../../../core/answer-part.ts';
import type { Annotation } from '../../../core/delta.ts';
import type { FileAnnotation } from '../../../core/parsed-file.ts';
import type { JsonObject } from '../../../util/json.ts';
import type {
  OutputFunctionCall,
  OutputItem,
  OutputReasoning,
  StreamEvent,
} from '../../gateway/assembly/response.ts';
import type { ReasoningDetail, WrittenDelta } from './chat-completion.ts';

type ItemEvent = Extract<StreamEvent, { type: 'response.output_item.added' | 'response.output_item.done' }>;
type TextEvent = Extract<StreamEvent, { type: 'response.output_text.delta' }>;

const paragraph = '\n\n';

/** A reasoning item while it arrives: which details its parts became. */
interface OpenReasoning {
  readonly id: string;
  /** The part that is written now, by kind and number. */
  part: string | undefined;
  last: { readonly index: number; readonly type: ReasoningDetail['type'] } | undefined;
}

/**
 * Turns the events of the assembler into what each adds to the one message of a chat completion
 * (docs/spec/chat.md#stream). Texts and citations of all items become those of one text.
 */
export class ChatDeltas {
  readonly #emit: (written: WrittenDelta) => void;
  /** UTF-16 units of the text so far, and where the open part of it begins. */
  #length = 0;
  #partStart = 0;
  #isTurnOver = false;
  #details = 0;
  #calls = 0;
  #hasReasoning = false;
  #reasoning: OpenReasoning | undefined;
  /** A seal that belongs to the next call, if one follows at once. */
  #seal: { readonly signature: string; readonly format: string; readonly itemId: string } | undefined;

  constructor(emit: (written: WrittenDelta) => void) {
    this.#emit = emit;
  }

  /** Whether the message calls a function. */
  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** A turn is over: the next one's text stands apart. */
  turnOver(): void {
    this.#isTurnOver = true;
  }

  /** Takes the next event. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case 'response.output_item.added':
        this.#begin(event.item);
        break;
      case 'response.content_part.added':
        this.#partStart = this.#length;
        break;
      case 'response.output_text.delta':
        this.#text(event);
        break;
      case 'response.refusal.delta':
        this.#emit({ delta: { refusal: event.delta } });
        break;
      case 'response.output_text.annotation.added':
        this.#emit({ delta: { annotations: [toAnnotation(event.annotation, this.#partStart)] } });
        break;
      case 'response.reasoning_text.delta':
        this.#think('reasoning.text', `text ${event.content_index}`, event.delta);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#think('reasoning.summary', `summary ${event.summary_index}`, event.delta);
        break;
      case 'response.function_call_arguments.delta':
        this.#emit({
          delta: { tool_calls: [{ index: this.#calls - 1, function: { arguments: event.delta } }] },
        });
        break;
      case 'response.output_item.done':
        this.#end(event);
        break;
      default:
    }
  }

  /** A call that the gateway ran: for the record of the next request, no text (docs/spec/chat.md#reasoning). */
  executed({ type, as, id, fields, call }: ExecutedPart): void {
    // A list of tools is no call.
    if (as === 'mcp_list_tools') return;
    const detail: ReasoningDetail = {
      type: 'reasoning.server_tool_call',
      index: this.#details++,
      tool_name: as === 'mcp_call' ? `mcp__${fields.server_label}__${fields.name}` : type,
      tool_call_id: call?.id ?? id,
      arguments: call?.input ?? '{}',
      result: call?.output ?? JSON.stringify(fields),
    };
    this.#emit({ delta: { reasoning_details: [detail] } });
  }

  /** The answer is over. */
  finish(): void {
    this.#flushSeal(undefined);
  }

  #begin(item: OutputItem): void {
    if (item.type === 'function_call') {
      const { call_id: id, name } = item as OutputFunctionCall;
      const seal = this.#flushSeal(id);
      const call = {
        index: this.#calls,
        id,
        type: 'function',
        function: { name, arguments: '' },
        ...(seal !== undefined && { extra_content: { google: { thought_signature: seal } } }),
      } as const;
      this.#calls += 1;
      this.#emit({ delta: { tool_calls: [call] } });
      return;
    }
    this.#flushSeal(undefined);
    if (item.type === 'reasoning') this.#reasoning = { id: item.id, part: undefined, last: undefined };
    if (item.type === 'message' && this.#isTurnOver && this.#length > 0) {
      this.#length += paragraph.length;
      this.#emit({ delta: { content: paragraph } });
      this.#isTurnOver = false;
    }
  }

  #text({ delta, logprobs }: TextEvent): void {
    this.#isTurnOver = false;
    this.#length += delta.length;
    this.#emit({ delta: { content: delta }, ...(logprobs.length > 0 && { logprobs }) });
  }

  #think(type: 'reasoning.text' | 'reasoning.summary', part: string, text: string): void {
    const open = this.#reasoning;
    if (open === undefined) return;
    const isNew = open.part !== part || open.last === undefined;
    if (isNew) open.last = { index: this.#details++, type };
    open.part = part;
    const { index } = open.last ?? { index: 0 };
    const said = type === 'reasoning.text' ? { text } : { summary: text };
    const detail = { type, index, ...(isNew && { id: open.id }), ...said };
    const reasoning = isNew && this.#hasReasoning ? paragraph + text : text;
    this.#hasReasoning = true;
    this.#emit({ delta: { reasoning, reasoning_details: [detail] } });
  }

  #end({ item }: ItemEvent): void {
    if (item.type === 'reasoning' && 'summary' in item) this.#endReasoning(item as OutputReasoning);
    else if (item.type === 'image_generation_call') this.#picture(item);
  }

  #endReasoning({ id, signature, encrypted_content: data, format = 'unknown' }: OutputReasoning): void {
    const last = this.#reasoning?.last;
    this.#reasoning = undefined;
    const isOfCall = format === 'google-gemini-v1' && signature !== undefined;
    const details: ReasoningDetail[] = [];
    if (isOfCall) {
      this.#seal = { signature, format, itemId: id };
    } else if (signature !== undefined && last?.type === 'reasoning.text') {
      details.push({ type: 'reasoning.text', index: last.index, format, signature });
    } else if (signature !== undefined) {
      details.push({ type: 'reasoning.text', index: this.#details++, id, format, text: '', signature });
    } else if (last !== undefined && data === undefined) {
      // A summary detail always has its text.
      const said = last.type === 'reasoning.summary' ? { summary: '' } : {};
      details.push({ type: last.type, index: last.index, format, ...said });
    }
    if (data !== undefined) {
      details.push({ type: 'reasoning.encrypted', index: this.#details++, id, format, data });
    }
    if (details.length > 0) this.#emit({ delta: { reasoning_details: details } });
  }

  /** Writes a seal that waited: with the id of the call that follows it, or of its own item. */
  #flushSeal(callId: string | undefined): string | undefined {
    const seal = this.#seal;
    if (seal === undefined) return undefined;
    this.#seal = undefined;
    const { signature, format, itemId } = seal;
    const detail: ReasoningDetail = {
      type: 'reasoning.text',
      index: this.#details++,
      id: callId ?? itemId,
      format,
      text: '',
      signature,
    };
    this.#emit({ delta: { reasoning_details: [detail] } });
    return signature;
  }

  #picture(item: JsonObject): void {
    const { result, output_format: format } = item;
    if (typeof result !== 'string' || result === '') return;
    const type = typeof format === 'string' ? format : 'png';
    const url = result.startsWith('data:') ? result : `data:image/${type};base64,${result}`;
    this.#emit({ delta: { images: [{ type: 'image_url', image_url: { url } }] } });
  }
}

function toAnnotation(annotation: Annotation | FileAnnotation, start: number): JsonObject {
  const { type, ...members } = annotation;
  if (annotation.type !== 'url_citation') return { type, [type]: members };
  const { start_index, end_index } = annotation;
  return {
    type,
    url_citation: { ...members, start_index: start_index + start, end_index: end_index + start },
  };
}
