import { wellFormedJson } from './json.ts';

/** UTF-16 units of a piece, about. */
const pieceLength = 64 * 1024;

/**
 * The text of `JSON.stringify(value)` in pieces of about 64 Ki characters, each made when it is asked for, with U+FFFD
 * in place of halves of characters. A text of megabytes is never there as a whole, nor does making it keep the event loop.
 * @param value What `JSON.parse` may return; members that are undefined are left out.
 */
export function jsonPieces(value: unknown): Generator<string, void> {
  return inPieces(tokensOf(value));
}

/** Texts one after the other, in pieces of about 64 Ki characters. */
export function* inPieces(texts: Iterable<string>): Generator<string, void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* tokensOf(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield* stringTokens(value);
  else if (Array.isArray(value)) yield* arrayTokens(value);
  else if (typeof value === 'object' && value !== null) yield* objectTokens(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* arrayTokens(values: readonly unknown[]): Generator<string, void> {
  yield '[';
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ',';
    yield* tokensOf(value);
  }
  yield ']';
}

function* objectTokens(object: object): Generator<string, void> {
  let separator = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${separator}${wellFormedJson(JSON.stringify(name))}:`;
    separator = ',';
    yield* tokensOf(value);
  }
  yield separator === '{' ? '{}' : '}';
}

function* stringTokens(text: string): Generator<string, void> {
  if (text.length <= pieceLength) {
    yield wellFormedJson(JSON.stringify(text));
    return;
  }
  yield '"';
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + pieceLength);
    yield wellFormedJson(JSON.stringify(text.slice(from, to))).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** Where a piece ends that would end at `at`: not within a character. */
function endOfPiece(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const last = text.charCodeAt(at - 1);
  return last >= 0xd800 && last <= 0xdbff ? at + 1 : at;
}
