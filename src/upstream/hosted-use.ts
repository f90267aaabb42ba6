import type { HostedItem } from '../core/request.ts';
import { type JsonObject, parseJson } from '../util/json.ts';
import { textOf } from './lenient.ts';

/** Members that say what came of a call, not what was asked. */
const outcomes: ReadonlySet<string> = new Set(['output', 'outputs', 'result', 'results', 'error', 'sources']);
/** Members that are neither. */
const bookkeeping: ReadonlySet<string> = new Set([
  'call_id',
  'container_id',
  'signature',
  'format',
  'pending_safety_checks',
]);

/** A call of a hosted tool, told as a call of a function and its output. */
interface HostedUse {
  /** Of the function. */
  readonly name: string;
  /** Undefined where the item gives neither its call nor itself an id. */
  readonly callId: string | undefined;
  readonly asked: JsonObject;
  readonly outcome: JsonObject;
}

/** What was asked of a tool that another provider ran, and what came of it. */
export function readHostedUse(item: HostedItem): HostedUse {
  const members = membersOf(item);
  const told = Object.entries(members).filter(([name, value]) => !bookkeeping.has(name) && value != null);
  return {
    name: item.type.replace(/_call(_output)?$/, ''),
    callId: textOf(members.call_id) ?? item.id,
    asked: Object.fromEntries(told.filter(([name]) => !outcomes.has(name))),
    outcome: Object.fromEntries(told.filter(([name]) => outcomes.has(name))),
  };
}

/** All members of an item, those nobody here knows included. */
export function membersOf({ extra, fields }: HostedItem): JsonObject {
  return { ...extra, ...fields };
}

/**
 * The pieces of its answer that a decoder left on an item as JSON text in `signature`, so that the same provider gets
 * them back; undefined where there are none of this format.
 */
export function keptPieces<Piece>(
  item: HostedItem,
  ownFormat: string,
  isOwn: (value: unknown) => value is Piece,
): readonly Piece[] | undefined {
  const { format, signature } = membersOf(item);
  if (format !== ownFormat || typeof signature !== 'string') return undefined;
  const pieces = parseJson(signature);
  return Array.isArray(pieces) && pieces.length > 0 && pieces.every(isOwn) ? pieces : undefined;
}
