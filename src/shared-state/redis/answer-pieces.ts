import type { AnswerPiece } from '../../ports/stored-answers.ts';

/** Marks the end of an answer. */
export const endOfAnswer = 'E';

/** Encodes a piece for storage; texts, which most pieces are, stay unchanged. */
export function encodePiece(piece: AnswerPiece): string {
  return piece.kind === 'body' ? `B${piece.text}` : `J${JSON.stringify(piece)}`;
}

/** Reads what `encodePiece` wrote. */
export function decodePiece(text: string): AnswerPiece {
  return text.startsWith('B') ? { kind: 'body', text: text.slice(1) } : JSON.parse(text.slice(1));
}
