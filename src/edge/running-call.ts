import { HeadgateError } from '../core/errors.ts';
import { mayThink, requestTimeoutWhileThinking } from '../core/thinking-time.ts';
import { CallProgress } from '../pipeline/call-progress.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { OpenRoom } from './answer-memory.ts';
import type { RunningServices } from './inference-services.ts';

/** Where an answer goes. */
export interface AnswerTarget {
  /** Whether the client takes nothing at the moment. */
  readonly writableNeedDrain: boolean;
  /** Breaks the answer off. */
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** What a running call is made of. */
export interface RunningFacts {
  readonly streamed: boolean;
  /** Undefined when the answer is made for readers that come and go. */
  readonly target?: AnswerTarget;
  /** The client's request, for those who watch; undefined for what is none. */
  readonly facts?: CallFacts;
}

/** How long a request may take until it begins to be answered, in milliseconds. */
function timeoutOf(
  facts: Pick<CallFacts, 'request'> | undefined,
  configured: number,
  catalogue: RunningServices['catalogue'],
): number {
  if (facts === undefined) return configured;
  const { models } = catalogue();
  const named = facts.request.models.flatMap((slug) => models.get(slug) ?? []);
  return mayThink(facts.request.canonical, named) ? requestTimeoutWhileThinking(configured) : configured;
}

/** A request while it is answered: what can stop it, the memory it takes, and its place in the server's shutdown. */
export class RunningCall {
  readonly #abort = new AbortController();
  readonly #target: AnswerTarget | undefined;
  readonly #room: OpenRoom;
  #deadline: NodeJS.Timeout | undefined;
  readonly #leave: () => void;
  #unlist: (() => void) | undefined;
  /** How far it is. */
  readonly progress = new CallProgress();

  constructor(
    { lifecycle, config, answerMemory, runningCalls, clock, catalogue }: RunningServices,
    { streamed, target, facts }: RunningFacts,
  ) {
    this.#target = target;
    if (facts !== undefined) {
      const { progress } = this;
      const entered = runningCalls.enter({ facts, progress, cancel: () => this.#cancel() });
      this.#unlist = () => runningCalls.leave(entered, () => clock.now());
    }
    this.#leave = lifecycle.begin((reason) => this.giveUp(reason), streamed);
    this.#deadline = setTimeout(
      () => this.giveUp(new HeadgateError('deadline_exceeded')),
      timeoutOf(facts, config.server.requestTimeout, catalogue),
    );
    const room = answerMemory.open(config.limits.answerBytes, {
      cutOff: (reason) => this.#cutOff(reason),
      destroy: () => this.#breakOff(),
    });
    this.#room = room;
    target?.once('close', () => room.close());
  }

  /** Aborted with the reason to give up, whichever came first. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The memory its answer may take, until that has been sent. */
  get room(): AnswerRoom {
    return this.#room;
  }

  /** A client's request as it runs here. */
  within(facts: CallFacts): InferenceCall {
    return { ...facts, signal: this.signal, room: this.room, progress: this.progress };
  }

  giveUp(reason: unknown): void {
    const abort = () => this.#abort.abort(reason);
    if (reason instanceof ClientGone && this.progress.turn?.leave(abort) === true) return;
    abort();
  }

  /** The answer has begun: its length is no longer limited. */
  begun(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** The answer is over, one way or another. */
  over(): void {
    clearTimeout(this.#deadline);
    if (this.#target === undefined) this.#room.close();
    this.#leave();
    this.#unlist?.();
  }

  /** Ends it as if the client had left. */
  #cancel(): void {
    this.giveUp(new ClientGone('An operator stopped the request.'));
    this.#target?.destroy();
  }

  #cutOff(reason: HeadgateError): void {
    // A client that takes nothing would keep all of it.
    if (this.#target?.writableNeedDrain === true) this.#breakOff();
    else this.giveUp(reason);
  }

  #breakOff(): void {
    if (this.#target === undefined) this.giveUp(new HeadgateError('answer_cut_off'));
    else this.#target.destroy();
  }
}
