import type { ContentStore, ContentVault, SealedContent } from '../ports/content.ts';
import type { ContentNotes, RequestTrace, TracedTurn } from '../ports/request-trace.ts';
import { AnswerContent } from '../telemetry/answer-content.ts';
import type { TraceSink } from '../telemetry/request-traces.ts';
import { dayLength } from '../util/utc-windows.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import { packRecord, recordText } from './content-record.ts';
import { keepsContent } from './content-rules.ts';

/** What the operator decides. */
export interface ContentRules {
  /** Days for which contents are kept. */
  readonly keepDays: number;
  /** Bytes that may wait to be stored. */
  readonly queue: number;
}

/** What keeps contents needs. */
export interface ContentLogParts {
  readonly store: Pick<ContentStore, 'add'>;
  readonly vault: Pick<ContentVault, 'seal'>;
  readonly rules: () => ContentRules;
  readonly onItems: (result: 'kept' | 'dropped', count: number) => void;
  readonly onFailure: (failure: unknown) => void;
  /** Milliseconds between two writes. */
  readonly pause?: number | undefined;
}

/** A turn of a request that is over, before it is written down. */
interface Turn {
  readonly trace: RequestTrace;
  readonly content: AnswerContent;
  readonly turn: TracedTurn;
  readonly index: number;
  readonly isLast: boolean;
}

/** A record that waits to be stored. */
interface Waiting {
  readonly content: SealedContent;
  readonly bytes: number;
  tries: number;
}

/** Turns that wait to be written down; further ones are dropped. */
const mostTurns = 2_000;
/** The part of all room that one account may take. */
const shareOfAccount = 1 / 4;
const storedAtOnce = 200;
const mostTries = 3;
const usualPause = 500;

/**
 * Keeps what was said, where everything that concerns a request lets it be kept (docs/spec/content.md): sealed and stored
 * behind the answer, which never waits for it. What does not fit or cannot be stored is dropped and counted.
 */
export class ContentLog implements TraceSink {
  readonly #parts: ContentLogParts;
  readonly #storing: RecurringTask;
  /** Requests whose content is kept, as it was decided when they were read. */
  readonly #kept = new WeakSet<RequestTrace>();
  readonly #turns: Turn[] = [];
  readonly #turnsOf = new Map<string, number>();
  readonly #bytesOf = new Map<string, number>();
  #waiting: Waiting[] = [];
  #bytes = 0;
  #writingDown: Promise<void> | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: ContentLogParts) {
    this.#parts = parts;
    this.#storing = new RecurringTask(
      () => this.flush(),
      () => parts.pause ?? usualPause,
    );
  }

  wants(): boolean {
    return true;
  }

  content(trace: RequestTrace): ContentNotes | undefined {
    if (!keepsContent(trace)) return undefined;
    this.#kept.add(trace);
    return new AnswerContent();
  }

  over(trace: RequestTrace): void {
    const { content, accountId } = trace;
    if (!this.#kept.has(trace) || accountId === undefined) return;
    if (!(content instanceof AnswerContent && content.isAllowed)) return;
    const { turns, spanId } = trace;
    const own = turns.filter(
      ({ parentSpanId, generation }) => parentSpanId === spanId && generation !== undefined,
    );
    for (const [index, turn] of own.entries()) {
      this.#take({ trace, content, turn, index, isLast: index === own.length - 1 }, accountId);
    }
  }

  #take(turn: Turn, accountId: string): void {
    const ofAccount = this.#turnsOf.get(accountId) ?? 0;
    if (this.#turns.length >= mostTurns || ofAccount >= mostTurns * shareOfAccount) {
      this.#parts.onItems('dropped', 1);
      return;
    }
    this.#turns.push(turn);
    this.#turnsOf.set(accountId, ofAccount + 1);
    this.#writingDown ??= this.#writeDown();
  }

  /** Writes turns down one by one, with time for others between: a long one takes milliseconds. */
  async #writeDown(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#turns.shift();
      if (next === undefined) {
        // Not later: what comes from now on begins anew.
        this.#writingDown = undefined;
        return;
      }
      const accountId = next.trace.accountId ?? '';
      lessen(this.#turnsOf, accountId, 1);
      try {
        await this.#seal(next, accountId);
      } catch (failure) {
        this.#parts.onItems('dropped', 1);
        this.#parts.onFailure(failure);
      }
    }
  }

  async #seal(next: Turn, accountId: string): Promise<void> {
    const { vault, rules, onItems } = this.#parts;
    const { generation } = next.turn;
    if (generation === undefined) return;
    const { id: generationId, keyHash, workspaceId, settledAt: at } = generation;
    const packed = await packRecord(recordText(next.trace, next.content, next));
    const { keepDays, queue } = rules();
    const bytes = Math.ceil((packed.length * 4) / 3) + 256;
    const ofAccount = this.#bytesOf.get(accountId) ?? 0;
    if (this.#bytes + bytes > queue || ofAccount + bytes > queue * shareOfAccount) {
      onItems('dropped', 1);
      return;
    }
    this.#bytes += bytes;
    this.#bytesOf.set(accountId, ofAccount + bytes);
    try {
      const sealed = await vault.seal({ accountId, generationId, at }, packed);
      const expiresAt = at + keepDays * dayLength;
      const content = { generationId, accountId, workspaceId, keyHash, at, expiresAt, ...sealed };
      this.#waiting.push({ content, bytes, tries: 0 });
    } catch (failure) {
      this.#free(accountId, bytes);
      throw failure;
    }
  }

  #free(accountId: string, bytes: number): void {
    this.#bytes -= bytes;
    lessen(this.#bytesOf, accountId, bytes);
  }

  /** Stores what waits. Never rejects. */
  flush(): Promise<void> {
    this.#work = this.#work.then(() => this.#store());
    return this.#work;
  }

  async #store(): Promise<void> {
    const { store, onItems, onFailure } = this.#parts;
    const all = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < all.length; start += storedAtOnce) {
      const some = all.slice(start, start + storedAtOnce);
      try {
        await store.add(some.map(({ content }) => content));
        onItems('kept', some.length);
        this.#drop(some);
      } catch (failure) {
        onFailure(failure);
        for (const one of some) one.tries += 1;
        const given = some.filter(({ tries }) => tries >= mostTries);
        this.#waiting.unshift(...some.filter(({ tries }) => tries < mostTries));
        if (given.length > 0) onItems('dropped', given.length);
        this.#drop(given);
      }
    }
  }

  #drop(some: readonly Waiting[]): void {
    for (const { content, bytes } of some) this.#free(content.accountId, bytes);
  }

  /** Stores the rest, as far as it can be. */
  async close(): Promise<void> {
    this.#storing.close();
    await this.#writingDown;
    for (let tries = 0; tries < mostTries; tries += 1) {
      await this.flush();
      if (this.#waiting.length === 0) return;
    }
  }
}

function lessen(counts: Map<string, number>, name: string, by: number): void {
  const left = (counts.get(name) ?? 0) - by;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
