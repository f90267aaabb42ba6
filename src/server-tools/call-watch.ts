import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { ServiceType } from '../core/tool.ts';
import type { LoopContext } from './server-tool.ts';

/** Watches one call of a tool: how long it takes, and what its fees and inner turns cost. */
export class CallWatch {
  /** What the tool gets in place of the context it was made for. */
  readonly context: LoopContext;
  readonly #beganAt = performance.now();
  readonly #given: LoopContext;
  #cost: NanoUsd = zeroUsd;

  constructor(given: LoopContext) {
    this.#given = given;
    this.context = {
      ...given,
      charge: async (fee) => {
        await given.charge(fee);
        this.#add(fee.amount);
      },
      innerTurn: async (inner) => {
        const answer = await given.innerTurn(inner);
        this.#add(answer.bill.charge);
        return answer;
      },
    };
  }

  /** The call is over. */
  over(type: ServiceType, failed: boolean): void {
    this.#given.onTool?.({ type, failed, time: performance.now() - this.#beganAt, cost: this.#cost });
  }

  #add(amount: NanoUsd): void {
    this.#cost = (this.#cost + amount) as NanoUsd;
  }
}
