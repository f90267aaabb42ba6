/** Media in words of an address. */
const media = /^data:[^,]{0,200};base64,/;
const shortestBase64 = 1_024;
const shortestLine = 60;

/**
 * Whether a text is data that nobody reads: media, or Base64 in one run or in lines of at least 60 characters, because words would be
 * parted more often. Takes constant room, however long the text is.
 */
export function isData(text: string): boolean {
  return media.test(text) || (text.length >= shortestBase64 && isBase64(text));
}

function isBase64(text: string): boolean {
  const { length } = text.trimEnd();
  let at = 0;
  for (;;) {
    const end = endOfLine(text, at);
    if (end > at && length - end <= 2 && /^=*$/.test(text.slice(end, length))) return true;
    const next = text.startsWith('\r\n', end) ? end + 2 : text.startsWith('\n', end) ? end + 1 : end;
    if (next === end || end - at < shortestLine) return false;
    at = next;
  }
}

/** Where a run of characters of Base64 ends that begins at a place. A pattern would remember every character of the run. */
function endOfLine(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBase64Unit(text.charCodeAt(end))) end += 1;
  return end;
}

function isBase64Unit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 47 && unit <= 57) || unit === 43
  );
}
