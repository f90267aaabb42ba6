import type { ServerResponse } from 'node:http';
import { HeadgateError } from '../core/errors.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import type { OpenRoom } from './answer-memory.ts';
import type { AppServices } from './app-services.ts';

/** A request while it is answered: what can stop it, the memory it takes, and its place in the server's shutdown. */
export class RunningCall {
  readonly #abort = new AbortController();
  readonly #response: ServerResponse | undefined;
  readonly #room: OpenRoom;
  #deadline: NodeJS.Timeout | undefined;
  readonly #leave: () => void;

  /** @param response Where the answer goes; undefined when it is made for readers that come and go. */
  constructor(
    { lifecycle, config, answerMemory }: Pick<AppServices, 'lifecycle' | 'config' | 'answerMemory'>,
    { streamed, response }: { readonly streamed: boolean; readonly response?: ServerResponse },
  ) {
    this.#response = response;
    this.#leave = lifecycle.begin((reason) => this.giveUp(reason), streamed);
    this.#deadline = setTimeout(
      () => this.giveUp(new HeadgateError('deadline_exceeded')),
      config.server.requestTimeout,
    );
    const room = answerMemory.open(config.limits.answerBytes, {
      cutOff: (reason) => this.#cutOff(reason),
      destroy: () => this.#breakOff(),
    });
    this.#room = room;
    response?.once('close', () => room.close());
  }

  /** Aborted with the reason to give up, whichever came first. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The memory its answer may take, until that has been sent. */
  get room(): AnswerRoom {
    return this.#room;
  }

  giveUp(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** The answer has begun: its length is no longer limited. */
  begun(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** The answer is over, one way or another. */
  over(): void {
    clearTimeout(this.#deadline);
    if (this.#response === undefined) this.#room.close();
    this.#leave();
  }

  #cutOff(reason: HeadgateError): void {
    // A client that takes nothing would keep all of it.
    if (this.#response?.writableNeedDrain === true) this.#breakOff();
    else this.giveUp(reason);
  }

  #breakOff(): void {
    if (this.#response === undefined) this.giveUp(new HeadgateError('answer_cut_off'));
    else this.#response.destroy();
  }
}
