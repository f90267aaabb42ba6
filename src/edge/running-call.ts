import { HeadgateError } from '../core/errors.ts';
import type { AppServices } from './app-services.ts';

/** A request while it is answered: what can stop it, and its place in the server's shutdown. */
export class RunningCall {
  readonly #abort = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  readonly #leave: () => void;

  constructor({ lifecycle, config }: Pick<AppServices, 'lifecycle' | 'config'>, streamed: boolean) {
    this.#leave = lifecycle.begin((reason) => this.giveUp(reason), streamed);
    this.#deadline = setTimeout(
      () => this.giveUp(new HeadgateError('deadline_exceeded')),
      config.server.requestTimeout,
    );
  }

  /** Aborted with the reason to give up, whichever came first. */
  get signal(): AbortSignal {
    return this.#abort.signal;
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
    this.#leave();
  }
}
