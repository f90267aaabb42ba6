import type { Answer, AnswerParts, EndedPart } from '../core/answer-part.ts';
import type { AnswerWriter } from '../dialects/public-dialect.ts';

/** Sends a text that is not empty. `isLast` says that the answer is over. */
type Send = (text: string, isLast: boolean) => Promise<void> | undefined;

/** Adds headers, as long as none are sent. */
type AddHeaders = (headers: Readonly<Record<string, string>>) => void;

/**
 * Writes an answer to its end, a batch at a time and at the pace of `send`. Returns its last part; undefined when the
 * client has gone. Parts that cannot be written fail the answer, which then ends with that error.
 * @throws HeadgateError or RefusedCall as the answer does.
 */
export async function pumpAnswer(
  answer: Answer,
  writer: AnswerWriter,
  send: Send,
  addHeaders?: AddHeaders,
): Promise<EndedPart | undefined> {
  let ended: EndedPart | undefined;
  let isOver = false;
  try {
    let step = await answer.next();
    while (step.done !== true) {
      const text = tryToWrite(step.value, writer);
      if (typeof text !== 'string') {
        step = await answer.throw(text.fault);
        continue;
      }
      ended = endOf(step.value);
      const [first] = step.value;
      if (first?.kind === 'left_out') addHeaders?.({ 'x-service-left-out': first.tools.join(', ') });
      if (text !== '') await send(text, ended !== undefined);
      step = await answer.next();
    }
    isOver = true;
    return ended;
  } finally {
    if (!isOver) await answer.return(undefined);
  }
}

function tryToWrite(parts: AnswerParts, writer: AnswerWriter): string | { readonly fault: unknown } {
  try {
    return writer.write(parts);
  } catch (fault) {
    return { fault };
  }
}

function endOf(parts: AnswerParts): EndedPart | undefined {
  const last = parts.at(-1);
  return last?.kind === 'ended' ? last : undefined;
}
