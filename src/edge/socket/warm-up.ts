import type { AnswerParts } from '../../core/answer-part.ts';
import { wholeText } from '../../dialects/public-dialect.ts';
import { type EvaluationServices, evaluateCaller } from '../../pipeline/evaluate-request.ts';
import type { Clock } from '../../ports/clock.ts';
import { type JsonObject, parseJson } from '../../util/json.ts';
import type { ReadCall } from '../read-call.ts';
import { completedResponse } from './last-response.ts';
import { type AnsweredTurn, MessagesOfText } from './run-message.ts';
import type { SocketAnswer } from './socket-answer.ts';

/** What a body is checked with in the place of an input that is still to come. */
const stillToCome = '…';

/** The body as it is checked: clients also warm up with settings alone (docs/spec/websocket.md#warming-up). */
export function checkedWarmUp(body: JsonObject): JsonObject {
  const { input } = body;
  const isEmpty = input === undefined || input === null || input === '' || isEmptyList(input);
  return isEmpty ? { ...body, input: stillToCome } : body;
}

/**
 * Answers a request that generates nothing (docs/spec/websocket.md#warming-up): an empty completed answer, whose input the
 * next request may go on from. No provider is asked, nothing is charged or recorded.
 * @throws HeadgateError for models that cannot be found, and for callers that may not send a request.
 */
export async function answerWarmUp(
  read: ReadCall,
  body: JsonObject,
  answer: SocketAnswer,
  services: EvaluationServices & { readonly clock: Clock },
): Promise<AnsweredTurn | undefined> {
  const { candidates, refusal } = evaluateCaller(read.call, services);
  if (refusal !== undefined) throw refusal;
  const at = services.clock.now();
  const parts: AnswerParts = [
    { kind: 'opened', model: candidates[0]?.model.id ?? '', provider: '', at },
    { kind: 'ended', finish: 'stop', at },
  ];
  const messages = new MessagesOfText().take(wholeText(read.createWriter().write(parts)));
  for (const message of messages) await answer.send(message);
  const last = messages.at(-1) ?? '';
  const turn = completedResponse(body, parseJson(last));
  return turn && { turn, size: last.length };
}

function isEmptyList(input: unknown): boolean {
  return Array.isArray(input) && input.length === 0;
}
