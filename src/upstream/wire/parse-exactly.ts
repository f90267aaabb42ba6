/** A number with so many digits that a JavaScript number may not hold it. */
const longInteger = /[:[,]\s*-?\d{16}/;

/** Parts of the language's `JSON` that its type declarations lack. */
interface SourceAwareJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}

const json = JSON as typeof JSON & SourceAwareJson;

/**
 * Parses JSON without losing digits: an integer outside the range of a number becomes an object that `JSON.stringify`
 * writes unchanged. Some unstreamed answers contain arguments of tool calls as values, which are written again for
 * the client; a stream passes their text on.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  return longInteger.test(text) ? json.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (source === undefined || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return json.rawJSON(source);
}
