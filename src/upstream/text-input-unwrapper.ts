const opening = /^\s*\{\s*"input"\s*:\s*"/;
const compactOpening = '{"input":"';
const token = /[^"\\]+|\\u.{4}|\\[^u]/sy;
const endsInHighSurrogate = /[\ud800-\udbff]$/;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/**
 * Takes the free text out of `{"input":"..."}` while the JSON is still arriving, for dialects in which a
 * custom tool is played by a function with one string property `input`. The fragments may be cut anywhere;
 * what `push` returns, joined, is the decoded string. Text of any other shape passes unchanged, so that a
 * model that forgot the wrapping still reaches its tool; `{}` means an empty input.
 */
export class TextInputUnwrapper {
  #stage: 'opening' | 'text' | 'closed' | 'raw' = 'opening';
  #held = '';

  /** Returns the text this fragment completes, perhaps none. */
  push(fragment: string): string {
    if (this.#stage === 'closed') return '';
    if (this.#stage === 'raw') return fragment;
    const text = this.#held + fragment;
    this.#held = '';
    return this.#stage === 'opening' ? this.#open(text) : this.#read(text);
  }

  #open(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'text';
      return this.#read(text.slice(match[0].length));
    }
    const compact = text.replace(/\s+/g, '');
    if (compactOpening.startsWith(compact) && compact.length < compactOpening.length) {
      this.#held = text;
      return '';
    }
    this.#stage = compact === '{}' ? 'closed' : 'raw';
    return this.#stage === 'raw' ? text : '';
  }

  #read(text: string): string {
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
      this.#stage = 'closed';
      return output;
    }
    this.#held = text.slice(position);
    if (this.#held !== '' || !endsInHighSurrogate.test(output)) return output;
    // Half a character cannot be written as UTF-8; it waits for its other half.
    this.#held = output.slice(-1);
    return output.slice(0, -1);
  }
}

function unescapePart(part: string): string {
  if (!part.startsWith('\\')) return part;
  if (!part.startsWith('\\u')) return escapes[part.slice(1)] ?? part.slice(1);
  const digits = part.slice(2);
  return /^[0-9a-f]{4}$/i.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : part;
}
