const token = /[^"\\]+|\\u.{4}|\\[^u]/sy;
const endsInHighSurrogate = /[\ud800-\udbff]$/;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/**
 * Decodes one JSON string while it arrives, starting after its opening quote. Fragments may be split anywhere.
 */
export class JsonStringReader {
  /** Whether the closing quote was read. */
  closed = false;
  /** What followed the closing quote. */
  rest = '';
  #buffered = '';

  /** Returns the text that this fragment completes; may be empty; never half a surrogate pair. */
  push(fragment: string): string {
    const text = this.#buffered + fragment;
    this.#buffered = '';
    let output = '';
    let position = 0;
    while (position < text.length) {
      token.lastIndex = position;
      const match = token.exec(text);
      if (match === null) break;
      output += unescapePart(match[0]);
      position += match[0].length;
    }
    if (text[position] === '"') {
      this.closed = true;
      this.rest = text.slice(position + 1);
      return output;
    }
    this.#buffered = text.slice(position);
    if (this.#buffered !== '' || !endsInHighSurrogate.test(output)) return output;
    // Half a surrogate pair cannot be encoded as UTF-8, so it waits for its other half.
    this.#buffered = output.slice(-1);
    return output.slice(0, -1);
  }
}

function unescapePart(part: string): string {
  if (!part.startsWith('\\')) return part;
  if (!part.startsWith('\\u')) return escapes[part.slice(1)] ?? part.slice(1);
  const digits = part.slice(2);
  return /^[0-9a-f]{4}$/i.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : part;
}
