import type { Delta } from '../core/delta.ts';
import type { CallItem, ContentPart, HostedItem, Item, MessageItem, ReasoningItem } from '../core/request.ts';
import { GrowingText } from '../util/growing-text.ts';

type BlockDelta = Extract<Delta, { block: number }>;

/** One block of an answer while it arrives. */
interface Block {
  readonly block: number;
  readonly first: BlockDelta;
  /** Texts of its parts, by kind of delta and part. */
  readonly texts: Map<string, { readonly kind: BlockDelta['kind']; readonly text: GrowingText }>;
  seal?: Extract<Delta, { kind: 'seal' }>;
  fields?: HostedItem['fields'];
}

/** Collects what a model wrote as items, so that it can be handed back to it. */
export class BlockItems {
  readonly #blocks: Block[] = [];

  /** The items so far, in the order in which their blocks began. */
  get all(): readonly Item[] {
    return this.#blocks.map(toItem).filter((item) => item !== undefined);
  }

  /** Takes the next delta of a block. */
  add(delta: BlockDelta): void {
    const known = this.#blocks.findLast(({ block }) => block === delta.block);
    // Some dialects use one block for a text and for a call.
    const isNew = known === undefined || (delta.kind === 'call' && known.first.kind !== 'call');
    const block = isNew ? this.#begin(delta) : known;
    if (delta.kind === 'seal') block.seal = delta;
    else if (delta.kind === 'hosted' || delta.kind === 'result') {
      block.fields = { ...block.fields, ...delta.fields };
    } else if ('text' in delta && delta.text !== '') this.#append(block, delta);
  }

  #begin(first: BlockDelta): Block {
    const block: Block = { block: first.block, first, texts: new Map() };
    this.#blocks.push(block);
    return block;
  }

  #append({ texts }: Block, delta: Extract<BlockDelta, { text: string }>): void {
    const part = 'part' in delta ? (delta.part ?? 0) : 0;
    const key = `${delta.kind} ${part}`;
    const known = texts.get(key) ?? { kind: delta.kind, text: new GrowingText() };
    texts.set(key, known);
    known.text.append(delta.text);
  }
}

function toItem(block: Block): Item | undefined {
  const { first } = block;
  switch (first.kind) {
    case 'text':
    case 'refusal':
    case 'annotation':
      return toMessage(block);
    case 'thinking':
    case 'summary':
    case 'seal':
      return toReasoning(block);
    case 'call':
      return toCall(block, first);
    case 'hosted':
      return {
        kind: 'hosted',
        type: first.type,
        id: first.id,
        status: 'completed',
        fields: block.fields ?? {},
      };
    default:
      return undefined;
  }
}

function toMessage(block: Block): MessageItem | undefined {
  const content = [...block.texts.values()].flatMap(({ kind, text }): readonly ContentPart[] =>
    kind === 'text' || kind === 'refusal' ? [{ kind, text: text.value }] : [],
  );
  if (content.length === 0) return undefined;
  const phase = block.first.kind === 'text' ? block.first.phase : undefined;
  return { kind: 'message', role: 'assistant', content, phase };
}

function toReasoning(block: Block): ReasoningItem {
  const { encrypted, signature, format } = block.seal ?? {};
  const content = textsOf(block, 'thinking');
  return { kind: 'reasoning', summary: textsOf(block, 'summary'), content, encrypted, signature, format };
}

function toCall(
  block: Block,
  { form, name, namespace, callId = '' }: Extract<Delta, { kind: 'call' }>,
): CallItem {
  const written = textsOf(block, 'arguments').join('');
  const input = form === 'function' && written.trim() === '' ? '{}' : written;
  return { kind: 'call', form, callId, name, namespace, input };
}

function textsOf({ texts }: Block, wanted: BlockDelta['kind']): readonly string[] {
  return [...texts.values()].filter(({ kind }) => kind === wanted).map(({ text }) => text.value);
}
