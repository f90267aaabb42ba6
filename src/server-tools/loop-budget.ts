import type { AnswerBill } from '../core/answer-part.ts';
import type { FinishReason } from '../core/delta.ts';
import { usdToNumber } from '../core/money.ts';
import type { CallItem, CanonicalChat } from '../core/request.ts';
import type { StopCondition } from '../core/stop-condition.ts';
import { totalInput } from '../core/usage.ts';

/** How many calls a request may make of tools of the gateway, over all its turns. */
const mostSteps = 30;

/** The operator's ceiling, behind stop conditions (docs/spec/server-tools.md#budget). */
export interface LoopLimits {
  readonly maxSteps: number;
  /** Milliseconds. */
  readonly maxTime: number;
  /** Calls that run at the same time. */
  readonly parallel: number;
}

/** The ceiling where nobody set another. */
export const usualLoopLimits: LoopLimits = { maxSteps: 200, maxTime: 15 * 60_000, parallel: 8 };

/** How long before the time of a whole request is up its loop takes its last turn, in milliseconds. */
export const finalTurnTime = 60_000;

/** A turn that is over, as stop conditions see it. */
export interface EndedTurn {
  readonly finish: FinishReason;
  /** The provider's own reason. */
  readonly native: string | undefined;
  /** All calls of the turn, and the type ids of those that are the gateway's. */
  readonly calls: readonly CallItem[];
  readonly types: readonly string[];
  /** What the request used and cost so far. */
  readonly bill: AnswerBill | undefined;
}

/** Counts the calls of one request, and says when the last turn is due (docs/spec/server-tools.md#budget). */
export class LoopBudget {
  readonly #stopWhen: readonly StopCondition[] | undefined;
  readonly #most: number;
  readonly #deadline: number;
  readonly #now: () => number;
  #requested = 0;
  #executed = 0;
  #rounds = 0;
  #isOver = false;

  /** @param now Milliseconds. @param unstreamedUntil When an answer that is not streamed has to come to its end, by the same clock. */
  constructor(
    { maxToolCalls, stopWhen }: Pick<CanonicalChat, 'maxToolCalls' | 'stopWhen'>,
    limits: LoopLimits,
    now: () => number = Date.now,
    unstreamedUntil = Number.POSITIVE_INFINITY,
  ) {
    this.#stopWhen = stopWhen;
    this.#most = stopWhen === undefined ? Math.min(maxToolCalls ?? mostSteps, mostSteps) : limits.maxSteps;
    this.#now = now;
    this.#deadline = Math.min(now() + limits.maxTime, unstreamedUntil);
  }

  /** Calls so far; undefined without any. */
  get toolCalls(): { readonly requested: number; readonly executed: number } | undefined {
    if (this.#requested === 0) return undefined;
    return { requested: this.#requested, executed: this.#executed };
  }

  /** Whether the next turn is the last one. */
  get isOver(): boolean {
    return this.#isOver || this.#executed >= this.#most || this.#now() >= this.#deadline;
  }

  /** Counts the gateway's calls of a turn. Returns how many of them, from the first on, may run. */
  take(calls: number): number {
    this.#requested += calls;
    const allowed = Math.min(calls, this.#most - this.#executed);
    this.#executed += allowed;
    this.#rounds += 1;
    return allowed;
  }

  /** Looks at a turn whose calls were counted; a condition that holds ends the loop. */
  look(turn: EndedTurn): void {
    if (this.#stopWhen?.some((condition) => this.#holds(condition, turn))) this.#isOver = true;
  }

  #holds(condition: StopCondition, { finish, native, calls, types, bill }: EndedTurn): boolean {
    switch (condition.type) {
      case 'step_count_is':
        return this.#rounds >= condition.stepCount;
      case 'has_tool_call': {
        const { toolName } = condition;
        return types.includes(toolName) || calls.some(({ name }) => name === toolName);
      }
      case 'max_tokens_used':
        return tokensOf(bill) > condition.maxTokens;
      case 'max_cost':
        return bill !== undefined && usdToNumber(bill.charge) > condition.maxCost;
      case 'finish_reason_is':
        return finish === condition.reason || native === condition.reason;
    }
  }
}

function tokensOf(bill: AnswerBill | undefined): number {
  return bill === undefined ? 0 : (totalInput(bill.usage) ?? 0) + (bill.usage.output ?? 0);
}
