import type { AnswerPiece } from '../../ports/stored-answers.ts';

/** Says that an answer is whole. */
export const endOfAnswer = 'E';

/** A piece as it is stored: texts as they are, which most pieces are. */
export function encodePiece(piece: AnswerPiece): string {
  return piece.kind === 'body' ? `B${piece.text}` : `J${JSON.stringify(piece)}`;
}

/** Reads what `encodePiece` wrote. */
export function decodePiece(text: string): AnswerPiece {
  return text.startsWith('B') ? { kind: 'body', text: text.slice(1) } : JSON.parse(text.slice(1));
}
