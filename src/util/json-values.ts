const quotationMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Whether JSON consists of more values than `most`: arrays, objects, and commas between members. Check it before
 * parsing foreign JSON: two bytes may become an array or object of fifty, so a text of the allowed size could fill
 * gigabytes and block the process for seconds.
 * @param json For invalid JSON the count is arbitrary.
 */
export function hasMoreValues(json: Buffer, most: number): boolean {
  // Each counted value takes a byte.
  if (json.length <= most) return false;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quotationMark) at = endOfText(json, at);
    else if (byte === comma || byte === openBracket || byte === openBrace) values += 1;
  }
  return values > most;
}

/** The end of the text that begins at `start`: a quotation mark after an even number of backslashes. */
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
