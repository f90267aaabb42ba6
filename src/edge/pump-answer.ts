import type { Answer, AnswerParts, EndedPart } from '../core/answer-part.ts';
import type { AnswerText, AnswerWriter, PublicDialect } from '../dialects/public-dialect.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import { fairScheduler, TickSum } from '../waiting/fair-scheduler.ts';

/** Parts of one answer that are written in a turn of the event loop at most. */
const mostParts = 64;

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
  const pace = new TickSum();
  try {
    let step = await answer.next();
    while (step.done !== true) {
      const written = tryToWrite(step.value, writer);
      if ('fault' in written) {
        step = await answer.throw(written.fault);
        continue;
      }
      ended = endOf(step.value);
      const { text } = written;
      const [first] = step.value;
      if (first?.kind === 'left_out') addHeaders?.({ 'x-service-left-out': first.tools.join(', ') });
      if (typeof text !== 'string') await sendPieces(text, ended !== undefined, send);
      else if (text !== '') await send(text, ended !== undefined);
      if (pace.add(step.value.length) > mostParts) await fairScheduler.join();
      step = await answer.next();
    }
    isOver = true;
    return ended;
  } finally {
    if (!isOver) await answer.return(undefined);
  }
}

/** Sends text of megabytes piece by piece. Others have their turn after each. */
async function sendPieces(pieces: Iterable<string>, isLast: boolean, send: Send): Promise<void> {
  let waiting: string | undefined;
  for (const piece of pieces) {
    if (waiting !== undefined) {
      await send(waiting, false);
      await fairScheduler.join();
    }
    waiting = piece;
  }
  if (waiting !== undefined) await send(waiting, isLast);
}

type Written = { readonly text: AnswerText } | { readonly fault: unknown };

function tryToWrite(parts: AnswerParts, writer: AnswerWriter): Written {
  try {
    return { text: writer.write(parts) };
  } catch (fault) {
    return { fault };
  }
}

function endOf(parts: AnswerParts): EndedPart | undefined {
  const last = parts.at(-1);
  return last?.kind === 'ended' ? last : undefined;
}

/**
 * Refuses an unstreamed answer that failed, in a dialect that has no failed answers.
 * @throws RefusedCall.
 */
export function refuseFailed({ error, report }: EndedPart, { failsWhole }: PublicDialect): void {
  if (error !== undefined && failsWhole === true) throw new RefusedCall(error, { report });
}
