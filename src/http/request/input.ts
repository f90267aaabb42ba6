import type { TSchema } from '../../core/json-schema.ts';
import type { Item, JsonObject } from '../../core/request.ts';
import type { CacheRules } from './cache.ts';
import { malformed, nameOf } from './fault.ts';
import { CallPairing } from './items/call-pairing.ts';
import type { ItemKind } from './items/item-kind.ts';
import { itemKinds } from './items/item-kinds.ts';
import { itemReferenceKind } from './items/item-reference.ts';
import { messageKind } from './items/message.ts';
import { asObject, rowFor } from './kind-table.ts';
import { anyOf, list, text } from './schema.ts';

/** The public schema of `input`: a string, or a list of items. */
export const InputSchema: TSchema = anyOf(
  text({ minLength: 1 }),
  list(anyOf(...Array.from(itemKinds.rows.values(), (row) => row.schema)), { minItems: 1 }),
);

/**
 * Reads the conversation in its order (responses.md 3.1).
 * @param asyncTools Names of tools whose calls may stay without an output.
 * @throws HeadgateError `invalid_request` or `unprocessable`.
 */
export function readInput(input: unknown, cache: CacheRules, asyncTools: ReadonlySet<string>): Item[] {
  if (input === undefined || input === null) {
    throw malformed('input', 'is required, expected a string or an array of items');
  }
  if (input === '' || (Array.isArray(input) && input.length === 0)) {
    throw malformed('input', 'must not be empty');
  }
  if (typeof input === 'string') {
    return [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: input }] }];
  }
  if (!Array.isArray(input)) {
    throw malformed('input', `expected a string or an array of items, got ${nameOf(input)}`);
  }
  const items = readItems(input, cache, asyncTools);
  if (items.length === 0) throw malformed('input', 'must hold at least one item with content');
  return items;
}

function readItems(input: readonly unknown[], cache: CacheRules, asyncTools: ReadonlySet<string>): Item[] {
  const pairing = new CallPairing();
  const seen = new Map<string, Item | undefined>();
  const reading = { cache, pairing, asyncTools, seen };
  const items: Item[] = [];
  for (let index = 0; index < input.length; index++) {
    const path = `input[${index}]`;
    const raw = asObject(input[index], path);
    const item = kindOf(raw, path).read(raw, path, reading);
    if (item !== undefined) items.push(item);
    if (typeof raw.id === 'string' && !seen.has(raw.id)) seen.set(raw.id, item);
  }
  pairing.finish();
  return items;
}

/** Without `type`, a role makes a message and an id alone a reference (responses.md 3.1.1). */
function kindOf(item: JsonObject, path: string): ItemKind {
  if (item.type === undefined || item.type === null) {
    if (item.role !== undefined) return messageKind;
    if (item.id !== undefined && Object.keys(item).every((key) => key === 'id' || key === 'type')) {
      return itemReferenceKind;
    }
  }
  return rowFor(itemKinds, item, path);
}
