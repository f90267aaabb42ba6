const quotationMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Whether JSON is made of more values than `most`: lists, objects, and commas between members. To be asked before it is
 * parsed, where somebody else wrote it: two bytes may become a list or an object of half a hundred, so that a text of the
 * size allowed would fill gigabytes and stop the process for seconds.
 * @param json In what is no JSON some bytes are counted.
 */
export function holdsMoreValues(json: Buffer, most: number): boolean {
  // Each one counted is a byte.
  if (json.length <= most) return false;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quotationMark) at = endOfText(json, at);
    else if (byte === comma || byte === openBracket || byte === openBrace) values += 1;
  }
  return values > most;
}

/** Where the text that begins at `start` ends: at a quotation mark that no odd number of backslashes stands before. */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(quotationMark, start + 1);
  while (end !== -1) {
    let before = end - 1;
    while (json[before] === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = json.indexOf(quotationMark, end + 1);
  }
  return json.length;
}
