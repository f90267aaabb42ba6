/** A value that begins with as many digits as may be too many for a number. */
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
 * Parses JSON without losing digits: an integer that no number can hold becomes an object that
 * `JSON.stringify` writes as it was. Arguments of tool calls come as values in some whole answers and are
 * written again for the client, while a stream passes their text on.
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  return longInteger.test(text) ? json.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (source === undefined || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  return json.rawJSON(source);
}
