const token = /["\d-]/g;
const number = /-?\d[\d.eE+-]*/y;

/**
 * JSON text with its strings and numbers replaced. Strings are read by a loop, because a pattern would remember every character of a long
 * one.
 * @param replace Gets a string with its quotes, or a number.
 */
export function replaceJsonTokens(json: string, replace: (token: string) => string): string {
  let replaced = '';
  let at = 0;
  token.lastIndex = 0;
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    const { index } = found;
    const end = found[0] === '"' ? endOfString(json, index) : endOfNumber(json, index);
    replaced += json.slice(at, index) + replace(json.slice(index, end));
    at = end;
    token.lastIndex = end;
  }
  return replaced + json.slice(at);
}

/** Behind the quote that closes a string. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
  return json.length;
}

function endOfNumber(json: string, start: number): number {
  number.lastIndex = start;
  return number.test(json) ? number.lastIndex : start + 1;
}
