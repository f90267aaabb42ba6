import { asyncToolNames } from '../../../core/client-tools.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { Item, Tool } from '../../../core/request.ts';
import { malformed, nameOf } from '../../../schema/fault.ts';
import { asObject, rowFor, schemasOf } from '../../../schema/kind-table.ts';
import type { JsonObject } from '../../../util/json.ts';
import { anyOf, list, named, type TSchema, text } from '../../../util/json-schema.ts';
import { CallPairing } from '../../gateway/call-pairing.ts';
import type { CacheRules } from '../../gateway/common-settings.ts';
import type { Speller } from '../../gateway/models.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { itemReferenceKind, messageKind } from './items/conversation-items.ts';
import type { ItemKind, Reading } from './items/item-kind.ts';
import { itemKinds } from './items/item-kinds.ts';
import { WaitingWorkers } from './waiting-workers.ts';

/** The public schema of `input`: a string, or a list of items. */
export const InputSchema: TSchema = named(
  'Input',
  anyOf(text({ minLength: 1 }), list(anyOf(...schemasOf('Item', itemKinds)), { minItems: 1 })),
);

/** What the conversation is read with. */
export interface InputContext {
  readonly cache: CacheRules;
  /** The tools of the request, some of which may be called without waiting for an output. */
  readonly tools: readonly Tool[];
  readonly spell: Speller;
  readonly carriers?: CarrierSeal;
  /** Called with the place of a tool that an item adds and that has to be found. */
  readonly onHidden: (path: string) => void;
  /** Whether there may be no conversation at all: a prompt template can hold it. */
  readonly mayBeEmpty: boolean;
}

/**
 * Reads the conversation in its order (docs/spec/items.md#reading-items).
 * @throws HeadgateError `invalid_request` or `unprocessable`.
 */
export function readInput(input: unknown, context: InputContext): Item[] {
  if (input === undefined || input === null) {
    if (context.mayBeEmpty) return [];
    throw malformed('input', 'is required, expected a string or an array of items');
  }
  if (input === '' || (Array.isArray(input) && input.length === 0)) {
    if (context.mayBeEmpty) return [];
    throw malformed('input', 'must not be empty');
  }
  if (typeof input === 'string') {
    return [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: input }] }];
  }
  if (!Array.isArray(input)) {
    throw malformed('input', `expected a string or an array of items, got ${nameOf(input)}`);
  }
  const items = readItems(input, context);
  if (!context.mayBeEmpty && items.every(isSetting)) {
    throw malformed('input', 'must hold at least one item with content');
  }
  return items;
}

/** Whether an item says nothing by itself but changes how the others are answered. */
function isSetting({ kind }: Item): boolean {
  return kind === 'additional_tools' || kind === 'configuration_update';
}

function readItems(input: readonly unknown[], context: InputContext): Item[] {
  const workers = new WaitingWorkers();
  const pairing = new CallPairing();
  const items = readInOrder(input, 'input', context, { pairing, workers });
  pairing.finish();
  return workers.fold(items);
}

/** Kinds of items that workers write. */
const written: ReadonlySet<Item['kind']> = new Set(['message', 'reasoning', 'call', 'call_output', 'hosted']);

/** Only the worker concerned fails where its part of the conversation is broken. */
function readWritten(input: readonly unknown[], context: InputContext): readonly Item[] {
  try {
    const part = { pairing: new CallPairing(), workers: undefined };
    const items = readInOrder(input, 'subagent_items', context, part);
    return items.every(({ kind }) => written.has(kind)) ? items : [];
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return [];
    throw thrown;
  }
}

function readInOrder(
  input: readonly unknown[],
  name: string,
  context: InputContext,
  { pairing, workers }: Pick<Reading, 'pairing' | 'workers'>,
): Item[] {
  const { cache, tools, spell, carriers } = context;
  const seen = new Map<string, Item | undefined>();
  const waiting = new Set(asyncToolNames(tools));
  const reading: Reading = {
    cache,
    pairing,
    workers,
    readWritten: (items) => readWritten(items, context),
    seen,
    spell,
    carriers,
    mayWait: (name) => waiting.has(name),
    offer: (added, hidden) => {
      if (hidden !== undefined) context.onHidden(hidden);
      for (const name of asyncToolNames(added)) waiting.add(name);
    },
  };
  const items: Item[] = [];
  for (let index = 0; index < input.length; index++) {
    const path = `${name}[${index}]`;
    const raw = asObject(input[index], path);
    const item = kindOf(raw, path, spell).read(raw, path, reading);
    if (item?.kind === 'configuration_update' && items.at(-1)?.kind === 'configuration_update') {
      throw malformed(path, 'must not follow another configuration_update, send only the last of them');
    }
    if (item !== undefined) items.push(items.length === index ? item : { ...item, place: index });
    if (typeof raw.id === 'string' && !seen.has(raw.id)) seen.set(raw.id, item);
  }
  return items;
}

/** Without `type`, a role makes a message and an id alone a reference (docs/spec/items.md#kind-of-an-item). */
function kindOf(item: JsonObject, path: string, spell: Speller): ItemKind {
  if (item.type === undefined || item.type === null) {
    if (item.role !== undefined) return messageKind;
    if (item.id !== undefined && Object.keys(item).every((key) => key === 'id' || key === 'type')) {
      return itemReferenceKind;
    }
  }
  return rowFor(itemKinds, item, path, spell);
}
