import { RefusedCall } from '../../pipeline/refused-call.ts';
import { run } from '../../pipeline/run.ts';
import { ClientGone, type Services } from '../../pipeline/services.ts';
import { type JsonObject, parseJson } from '../../util/json.ts';
import { describeFailedCall, type FailedCallServices } from '../describe-failure.ts';
import type { RunningServices } from '../inference-services.ts';
import { pumpAnswer } from '../pump-answer.ts';
import type { ReadCall } from '../read-call.ts';
import { RunningCall } from '../running-call.ts';
import { completedResponse, type LastResponse } from './last-response.ts';
import type { SocketAnswer } from './socket-answer.ts';

/** A turn that was answered, and the bytes of its answer. */
export interface AnsweredTurn {
  readonly turn: LastResponse;
  readonly size: number;
}

/**
 * Runs a request and sends its events as messages. Returns the turn that the next request may go on from; undefined when it
 * failed or the client has gone.
 * @throws HeadgateError or RefusedCall as long as nothing was sent.
 */
export async function runMessage(
  read: ReadCall,
  body: JsonObject,
  answer: SocketAnswer,
  services: Services & FailedCallServices & RunningServices,
): Promise<AnsweredTurn | undefined> {
  const running = new RunningCall(services, { streamed: true, target: answer, facts: read.call });
  answer.once('gone', () => running.giveUp(new ClientGone('The client closed the connection.')));
  const messages = new MessagesOfText();
  let isBegun = false;
  let last = '';
  const send = async (text: string) => {
    running.begun();
    isBegun = true;
    for (const message of messages.take(text)) {
      last = message;
      await answer.send(message);
    }
  };
  try {
    const call = running.within(read.call);
    const ended = await pumpAnswer(run(call, services), read.createWriter(), send);
    if (ended?.error !== undefined || ended === undefined) return undefined;
    const turn = completedResponse(body, parseJson(last));
    return turn && { turn, size: last.length };
  } catch (thrown) {
    if (!isBegun) throw thrown;
    await send(describeFailedCall(RefusedCall.of(thrown), read, services).inStream);
    return undefined;
  } finally {
    running.over();
  }
}

const dataLine = '\ndata: ';

/**
 * Takes the text of an event stream apart again: the JSON of each event becomes a message. What is no event of JSON, such as
 * the sentinel, is left out.
 */
export class MessagesOfText {
  #rest = '';

  /** The messages that are whole by now. */
  take(text: string): readonly string[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const at = block.indexOf(dataLine);
      return at === -1 ? [] : [block.slice(at + dataLine.length)];
    });
  }
}
