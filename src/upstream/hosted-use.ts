import type { HostedItem } from '../core/request.ts';
import { type JsonObject, parseJson } from '../util/json.ts';
import { textOf } from './lenient.ts';

/** Members that describe the result of a call rather than its input. */
const outcomes: ReadonlySet<string> = new Set(['output', 'outputs', 'result', 'results', 'error', 'sources']);
/** Members that are neither input nor result. */
const bookkeeping: ReadonlySet<string> = new Set([
  'call_id',
  'container_id',
  'signature',
  'format',
  'pending_safety_checks',
]);

/** A hosted call in the form of a function call and its output. */
interface HostedUse {
  /** Name of the function. */
  readonly name: string;
  /** Undefined where the item has neither a call id nor an id. */
  readonly callId: string | undefined;
  readonly input: JsonObject;
  readonly outcome: JsonObject;
}

/** The input and the result of a hosted call that another provider ran. */
export function readHostedUse(item: HostedItem): HostedUse {
  const members = membersOf(item);
  const relevant = Object.entries(members).filter(([name, value]) => !bookkeeping.has(name) && value != null);
  return {
    name: item.type.replace(/_call(_output)?$/, ''),
    callId: textOf(members.call_id) ?? item.id,
    input: Object.fromEntries(relevant.filter(([name]) => !outcomes.has(name))),
    outcome: Object.fromEntries(relevant.filter(([name]) => outcomes.has(name))),
  };
}

/** All members of an item, including unknown ones. */
export function membersOf({ extra, fields }: HostedItem): JsonObject {
  return { ...extra, ...fields };
}

/**
 * The parts of its answer that a decoder stored on an item as JSON text in `signature`, so that the same provider
 * gets them back; undefined without any of this format.
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
