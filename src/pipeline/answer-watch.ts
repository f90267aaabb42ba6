import type { Delta } from '../core/delta.ts';
import type { ModelCall } from '../core/model-call.ts';
import { GrowingText } from '../util/growing-text.ts';

type CallDelta = Extract<Delta, { kind: 'call' }>;

interface CallSeen {
  readonly call: CallDelta;
  readonly input: GrowingText;
}

/** Reads the deltas of one turn as the client gets them, and remembers what the pipeline needs to know of them. */
export class AnswerWatch {
  readonly #excludesReasoning: boolean;
  #begun = false;
  /** Undefined until the model calls a tool, which most answers do not. */
  #calls: CallSeen[] | undefined;

  /** @param excludesReasoning Whether reasoning is left out of the answer. */
  constructor(excludesReasoning: boolean) {
    this.#excludesReasoning = excludesReasoning;
  }

  /** Whether the answer has any content: from then on a limit ends it instead of failing it. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The calls of tools, in order. */
  get calls(): readonly ModelCall[] {
    return this.#calls?.map(toModelCall) ?? [];
  }

  /** Reads one batch. */
  read(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
        case 'refusal':
          this.#begun ||= delta.text !== '';
          break;
        case 'thinking':
        case 'summary':
          this.#begun ||= delta.text !== '' && !this.#excludesReasoning;
          break;
        case 'seal':
          this.#begun ||= !this.#excludesReasoning;
          break;
        case 'annotation':
        case 'audio':
        case 'embedding':
        case 'hosted':
          this.#begun = true;
          break;
        case 'call':
          this.#begun = true;
          this.#calls ??= [];
          this.#calls.push({ call: delta, input: new GrowingText() });
          break;
        case 'arguments':
          this.#calls?.findLast(({ call }) => call.block === delta.block)?.input.append(delta.text);
      }
    }
  }
}

function toModelCall({ call: { form, name, namespace, callId }, input: { value } }: CallSeen): ModelCall {
  // Some models write nothing where a function takes no arguments.
  const input = form === 'function' && value.trim() === '' ? '{}' : value;
  return { form, name, namespace, callId, input };
}
