import { rootMessageOf } from '../util/message-of.ts';

/** Decides which reasons of an outage to report: a different reason is reported too, but not every one. */
export class ReportedReason {
  readonly #pause: number;
  #lastReason: string | undefined;
  #at = 0;

  /** @param pause Milliseconds in which no further reason is reported. */
  constructor(pause: number) {
    this.#pause = pause;
  }

  /** Records a reason that is reported in any case. */
  record(reason: unknown): void {
    this.#lastReason = rootMessageOf(reason);
    this.#at = performance.now();
  }

  /** Whether to report this reason now; if so it is recorded. */
  isNews(reason: unknown): boolean {
    const isNews = rootMessageOf(reason) !== this.#lastReason && performance.now() - this.#at >= this.#pause;
    if (isNews) this.record(reason);
    return isNews;
  }
}
