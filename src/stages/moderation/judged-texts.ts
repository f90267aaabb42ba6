import type { CanonicalRequest } from '../../core/request.ts';

/** Characters of a text that is judged at once. */
const longestText = 30_000;
const longestShown = 100;
const dots = '...';

/** The instructions and all texts of users and operators, in pieces. */
export function textsToJudge({ instructions, items }: CanonicalRequest): readonly string[] {
  const texts = instructions === undefined ? [] : [instructions];
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'assistant') continue;
    for (const part of item.content) if (part.kind === 'text') texts.push(part.text);
  }
  return toPieces(texts.join('\n'));
}

/** Addresses of the pictures in messages of users and operators, each once. Those that only a provider can open are left out. */
export function imagesToJudge({ items }: CanonicalRequest): readonly string[] {
  const images = new Set<string>();
  for (const item of items) {
    if (item.kind !== 'message' || item.role === 'assistant') continue;
    for (const part of item.content) {
      if (part.kind === 'image' && part.url !== undefined) images.add(part.url);
    }
  }
  return [...images];
}

/** What an error shows of a text: long ones without their middle. */
export function shownInput(text: string): string {
  if (text.length <= longestShown) return text;
  const kept = longestShown - dots.length;
  const head = Math.ceil(kept / 2);
  return (text.slice(0, head) + dots + text.slice(text.length - (kept - head))).toWellFormed();
}

function toPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += longestText) pieces.push(text.slice(at, at + longestText));
  return pieces.filter((piece) => piece.trim() !== '');
}
