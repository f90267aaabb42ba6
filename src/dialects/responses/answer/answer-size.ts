import type { Delta } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { pushAll } from '../../../util/push-all.ts';

/** About what a fragment takes besides its text. */
const sizeOfFragment = 64;
/** In UTF-16 units: more than any model writes, with the pictures it makes. */
const largestAnswer = 128 * 1024 * 1024;

/** Keeps count of an answer that has to be held until its end, so that no provider can fill the memory. */
export class AnswerSize {
  #size = 0;

  /** @throws HeadgateError `provider_failed` when the answer is longer than any can be. */
  add(delta: Delta): void {
    this.#size += sizeOfFragment + textIn(delta);
    if (this.#size > largestAnswer) {
      throw new HeadgateError('provider_failed', 'The provider sent an answer without end.');
    }
  }
}

function textIn(delta: Delta): number {
  switch (delta.kind) {
    case 'seal':
      return (delta.encrypted?.length ?? 0) + (delta.signature?.length ?? 0);
    case 'partial_image':
      return delta.image.length;
    case 'hosted':
    case 'result':
      return lengthOf(delta.fields);
    default:
      return 'text' in delta ? delta.text.length : 0;
  }
}

/** Of all texts in a value, however deep it is nested. */
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
