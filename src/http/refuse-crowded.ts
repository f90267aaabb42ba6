import { HeadgateError } from '../core/errors.ts';

/** Far beyond any conversation, and still only some hundred megabytes once it is parsed. */
const mostValues = 1_000_000;

const quotationMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Refuses a body of more values than a request can have use for, before it is parsed: two bytes may become a list or an
 * object of half a hundred, so that one body of the size allowed would fill gigabytes and stop the process for seconds.
 * @param body JSON; in anything else some bytes are counted.
 * @throws HeadgateError `payload_too_large`.
 */
export function refuseCrowded(body: Buffer): void {
  // Each one counted is a byte.
  if (body.length <= mostValues) return;
  let values = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quotationMark) at = endOfText(body, at);
    else if (byte === comma || byte === openBracket || byte === openBrace) values += 1;
  }
  if (values <= mostValues) return;
  throw new HeadgateError(
    'payload_too_large',
    `The request body holds more than the ${mostValues} values this server takes.`,
  );
}

/** Where the text that begins at `start` ends: at a quotation mark that no odd number of backslashes stands before. */
function endOfText(body: Buffer, start: number): number {
  let end = body.indexOf(quotationMark, start + 1);
  while (end !== -1) {
    let before = end - 1;
    while (body[before] === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = body.indexOf(quotationMark, end + 1);
  }
  return body.length;
}
