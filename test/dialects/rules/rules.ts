import type { JsonObject } from '../../../src/util/json.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every dialect, taken apart by their documented paths.
export type Any = any;

/** What is wrong with a body by the rules a provider documents for conversations; nothing when it would be taken. */
export type Rules = (body: JsonObject) => readonly string[];

/** Reads the id of a call or of an answer from a part; undefined where it is neither. */
type ReadId = (part: Any) => string | undefined;

/** Conversations of turns: where their parts are, and which of these are calls and answers. */
export interface TurnShape {
  readonly partsOf: (turn: Any) => readonly Any[];
  readonly called: ReadId;
  readonly answered: ReadId;
  /** Parts that may stand among the answers. */
  readonly isMark?: (part: Any) => boolean;
}

/** Whether a text says nothing. */
export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/**
 * Sides alternate and each says something; every call is answered in the next turn, once and before all else; every
 * answer has its call; no two calls share an id.
 */
export function faultsOfTurns(turns: readonly Any[], shape: TurnShape): string[] {
  const { partsOf, called, answered, isMark = () => false } = shape;
  const idsIn = (turn: Any, read: ReadId) =>
    turn === undefined ? [] : partsOf(turn).flatMap((part) => read(part) ?? []);
  const faults = turns.length === 0 ? ['nobody says anything'] : [];
  const calls = turns.flatMap((turn) => idsIn(turn, called));
  if (new Set(calls).size < calls.length) faults.push('two calls share an id');
  for (const [place, turn] of turns.entries()) {
    const parts = partsOf(turn);
    const answers = idsIn(turn, answered);
    const before = idsIn(turns[place - 1], called);
    if (turns[place - 1]?.role === turn.role)
      faults.push(`turn ${place} is of the same side as the one before`);
    if (parts.length === 0) faults.push(`turn ${place} is empty`);
    if ([...answers].sort().join() !== [...before].sort().join())
      faults.push(`turn ${place} answers other calls`);
    const first = parts.findIndex((part) => answered(part) === undefined && !isMark(part));
    if (first !== -1 && parts.slice(first).some((part) => answered(part) !== undefined)) {
      faults.push(`turn ${place} says something before its answers`);
    }
  }
  if (idsIn(turns.at(-1), called).length > 0) faults.push('the last calls have no answers');
  return faults;
}
