import { pushAll } from '../util/push-all.ts';
import type { Delta, OutputLogprob } from './delta.ts';

/** Bytes that one alternative of a token counts. */
const sizeOfAlternative = 64;

/** About how many bytes the texts of a delta are: its UTF-16 units, and what log probabilities take. */
export function textSize(delta: Delta): number {
  switch (delta.kind) {
    case 'text':
      return delta.text.length + (delta.logprobs === undefined ? 0 : sizeOfLogprobs(delta.logprobs));
    case 'annotation':
      return lengthOf(delta.annotation);
    case 'seal':
      return (delta.encrypted?.length ?? 0) + (delta.signature?.length ?? 0);
    case 'audio':
      return (delta.data?.length ?? 0) + (delta.transcript?.length ?? 0);
    case 'embedding':
      return delta.vector.byteLength;
    case 'partial_image':
      return delta.image.length;
    case 'hosted':
    case 'result':
      return lengthOf(delta.fields);
    default:
      return 'text' in delta ? delta.text.length : 0;
  }
}

function sizeOfLogprobs(logprobs: readonly OutputLogprob[]): number {
  const alternatives = logprobs.reduce((sum, { top_logprobs: top }) => sum + 1 + top.length, 0);
  return alternatives * sizeOfAlternative;
}

/** UTF-16 units of all texts in a value, however deep it is nested. */
function lengthOf(value: unknown): number {
  let length = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null) pushAll(left, Object.values(next));
  }
  return length;
}
