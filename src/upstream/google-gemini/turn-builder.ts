import type {
  CallItem,
  CallOutputItem,
  HostedItem,
  Item,
  MessageItem,
  ReasoningItem,
} from '../../core/request.ts';
import { pushAll } from '../../util/push-all.ts';
import { parseArguments } from '../call-arguments.ts';
import { encodeParts, type PartContext } from './encode-content.ts';
import { encodeHostedItem } from './encode-hosted-item.ts';
import type { ModelTraits } from './model-traits.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { Content, FunctionResponse, Part } from './wire.ts';

/** Replaces the signature of a call from another provider's model; documented to be accepted. */
const foreignSignature = 'skip_thought_signature_validator';

/**
 * Builds turns from items. The dialect wants the responses of all calls of a turn directly after it, in the order of
 * the calls, so they are moved there. A signature returns to the part it came with: `signature` of a reasoning item
 * to the call after it, `encrypted` to the thought itself or, if the item has no thought, to the text before it.
 */
export class TurnBuilder {
  readonly #contents: Content[] = [];
  readonly #traits: ModelTraits;
  readonly #context: PartContext;
  /** Outputs that no call has used so far, by call id. */
  readonly #outputs = new Map<string, CallOutputItem[]>();
  /** The responses to the calls of the open turn, in their order. */
  #answers: (() => readonly Part[])[] = [];
  #signature: string | undefined;

  constructor(items: readonly Item[], traits: ModelTraits, context: PartContext) {
    this.#traits = traits;
    this.#context = context;
    for (const item of items) {
      if (item.kind !== 'call_output') continue;
      const known = this.#outputs.get(item.callId);
      if (known === undefined) this.#outputs.set(item.callId, [item]);
      else known.push(item);
    }
  }

  /** Takes the next item. */
  add(item: Item): void {
    switch (item.kind) {
      case 'message':
        this.#addMessage(item);
        break;
      case 'reasoning':
        this.#addReasoning(item);
        break;
      case 'call':
        this.#addCall(item);
        break;
      case 'call_output':
        this.#answerCalls();
        this.#addRepeatedOutput(item);
        break;
      case 'hosted':
        this.#addHosted(item);
    }
  }

  /** Returns the turns; omits thoughts that led to nothing. */
  finish(): Content[] {
    this.#answerCalls();
    const contents: Content[] = [];
    for (const { role, parts } of this.#contents) {
      if (!parts.every((part) => part.thought === true)) append(contents, role, parts);
    }
    return contents;
  }

  #addMessage({ role, content }: MessageItem): void {
    const parts = encodeParts(content, this.#context);
    if (role !== 'assistant') this.#answerCalls();
    this.#append(role === 'assistant' ? 'model' : 'user', parts);
  }

  #addReasoning(item: ReasoningItem): void {
    const own = item.format === geminiFormat;
    const text = (item.content.length > 0 ? item.content : item.summary).join('\n\n');
    const seal = own ? item.encrypted : undefined;
    if (text !== '' && this.#traits.thinking !== undefined) {
      this.#append('model', [{ text, thought: true, thoughtSignature: seal }]);
    } else if (text === '' && seal !== undefined) this.#sealLast(seal);
    if (own) this.#signature = item.signature ?? this.#signature;
  }

  #sealLast(thoughtSignature: string): void {
    const turn = this.#contents.at(-1);
    const last = turn?.role === 'model' ? turn.parts.at(-1) : undefined;
    const fits = last?.text !== undefined && last.thought !== true && last.thoughtSignature === undefined;
    if (fits) last.thoughtSignature = thoughtSignature;
    else this.#append('model', [{ text: '', thoughtSignature }]);
  }

  #addCall(item: CallItem): void {
    const replacement = this.#replacement();
    this.#append('model', [
      {
        functionCall: {
          id: this.#traits.pairsById ? item.callId : undefined,
          name: item.name,
          args: { ...(item.form === 'custom' ? { input: item.input } : parseArguments(item.input)) },
        },
        thoughtSignature: this.#signature ?? replacement,
      },
    ]);
    this.#signature = undefined;
    this.#answers.push(() => {
      const output = this.#outputs.get(item.callId)?.shift();
      return encodeFunctionResponse(item, output, this.#traits, this.#context);
    });
  }

  /** The signature for the first call of a turn that has none. */
  #replacement(): string | undefined {
    const turn = this.#contents.at(-1);
    const first = turn?.role !== 'model' || !turn.parts.some((part) => part.functionCall !== undefined);
    return first && this.#traits.signedCalls ? foreignSignature : undefined;
  }

  /**
   * Beside a client's calls, a foreign hosted call is answered with them, because the dialect wants all responses
   * together.
   */
  #addHosted(item: HostedItem): void {
    const { model, user } = encodeHostedItem(item, this.#context);
    const thoughtSignature = this.#replacement();
    this.#append(
      'model',
      model.map((part) => (part.functionCall === undefined ? part : { ...part, thoughtSignature })),
    );
    if (this.#answers.length > 0 && model.length > 0) this.#answers.push(() => user);
    else this.#append('user', user);
  }

  #answerCalls(): void {
    const answers = this.#answers;
    this.#answers = [];
    for (const answer of answers) this.#append('user', answer());
  }

  /** A call is answered once; further outputs become user text. */
  #addRepeatedOutput(item: CallOutputItem): void {
    const waiting = this.#outputs.get(item.callId);
    if (waiting?.[0] !== item) return;
    waiting.shift();
    const heading = { text: `Output of tool call ${item.callId}:` };
    this.#append('user', [heading, ...encodeParts(item.output, this.#context)]);
  }

  #append(role: Content['role'], parts: readonly Part[]): void {
    append(this.#contents, role, parts);
  }
}

function append(contents: Content[], role: Content['role'], parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) pushAll(last.parts, parts);
  else contents.push({ role, parts: [...parts] });
}

/**
 * The output of a client's function as parts: its text under `output`; pictures and documents inside the response or,
 * for models without that, beside it. A call without an output gets a placeholder, because the dialect wants as many
 * responses as calls.
 */
function encodeFunctionResponse(
  call: CallItem,
  output: CallOutputItem | undefined,
  traits: ModelTraits,
  context: PartContext,
): Part[] {
  const parts = encodeParts(output?.output ?? [], context);
  const text = parts.map((part) => part.text ?? '').join('');
  const media = parts.filter((part) => part.text === undefined);
  const inside = traits.mediaInResponses ? media : [];
  const functionResponse: FunctionResponse = {
    id: traits.pairsById ? call.callId : undefined,
    name: call.name,
    response: output === undefined ? { status: 'no output yet' } : { output: text },
    parts: inside.length > 0 ? inside.map(toResponsePart) : undefined,
  };
  return [{ functionResponse }, ...(traits.mediaInResponses ? [] : media)];
}

function toResponsePart({ inlineData, fileData }: Part): NonNullable<FunctionResponse['parts']>[number] {
  return { inlineData, fileData };
}
