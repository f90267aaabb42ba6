import { rootMessageOf } from '../util/message-of.ts';

/** Why something is away, as it was told last: another reason is worth telling as well, but not all of them. */
export class ReportedReason {
  readonly #pause: number;
  #told: string | undefined;
  #at = 0;

  /** @param pause Milliseconds in which nothing further is told. */
  constructor(pause: number) {
    this.#pause = pause;
  }

  /** Notes a reason that is told in any case. */
  tell(reason: unknown): void {
    this.#told = rootMessageOf(reason);
    this.#at = performance.now();
  }

  /** Whether this one is to be told now; it is noted then. */
  isNews(reason: unknown): boolean {
    const isNews = rootMessageOf(reason) !== this.#told && performance.now() - this.#at >= this.#pause;
    if (isNews) this.tell(reason);
    return isNews;
  }
}
