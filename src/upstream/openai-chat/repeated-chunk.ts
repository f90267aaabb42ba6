import { isObject, parseJson } from '../../util/json.ts';

const opening = '"content":"';
const probe = 'probe';

/** What a JSON string may not hold as it is, or holds escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const notPlain = /[\u0000-\u001f"\\]/;

/**
 * Recognises chunks that equal an earlier one but for the text they bring. Nearly all chunks of a stream do,
 * and parsing each in full is the dearest thing a stream costs: ten times what it costs to compare it.
 *
 * It is exact: a chunk with the same characters before and after one JSON string as a chunk that was
 * understood can only differ in that string.
 */
export class RepeatedChunk {
  #before: string | undefined;
  #after = '';

  /** Notes a chunk that brought nothing but text. */
  remember(chunk: string): void {
    // A slice would keep everything that arrived with it for as long as the stream is open.
    const data = Buffer.from(chunk).toString();
    const start = data.indexOf(opening) + opening.length;
    const end = endOfString(data, start);
    if (start < opening.length || end === undefined) return;
    const before = data.slice(0, start);
    const after = data.slice(end);
    if (!bringsText(`${before}${probe}${after}`)) return;
    this.#before = before;
    this.#after = after;
  }

  /** The text a chunk brings, or undefined when it must be read in full. */
  textOf(data: string): string | undefined {
    const before = this.#before;
    if (before === undefined) return undefined;
    const end = data.length - this.#after.length;
    // Slices compared whole are several times faster here than startsWith and endsWith.
    if (end < before.length || data.slice(0, before.length) !== before) return undefined;
    if (data.slice(end) !== this.#after) return undefined;
    const text = data.slice(before.length, end);
    return notPlain.test(text) ? readString(`"${text}"`) : text;
  }
}

/** Whether the string that was taken out is the text of the first choice, and no other. */
function bringsText(data: string): boolean {
  const chunk = parseJson(data);
  const choices = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices : [];
  const [choice] = choices;
  return isObject(choice) && isObject(choice.delta) && choice.delta.content === probe;
}

/** Where the JSON string that begins at `start` ends: the place of its closing quote. */
function endOfString(data: string, start: number): number | undefined {
  for (let index = start; index < data.length; index++) {
    if (data[index] === '\\') index++;
    else if (data[index] === '"') return index;
  }
  return undefined;
}

/** The value of a JSON string, or undefined when it is none. */
function readString(literal: string): string | undefined {
  const value = parseJson(literal);
  return typeof value === 'string' ? value : undefined;
}
