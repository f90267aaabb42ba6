import type { AnswerBill } from '../core/answer-part.ts';
import { sumUsd } from '../core/money.ts';
import { addUsage } from '../core/usage.ts';

/** What all turns of a request used and cost so far, inner turns included. */
export class RequestBill {
  #total: AnswerBill | undefined;

  /** Undefined until a turn is settled. */
  get total(): AnswerBill | undefined {
    return this.#total;
  }

  /** Adds a turn. */
  add(bill: AnswerBill): void {
    this.#total = this.#total === undefined ? bill : sumOf(this.#total, bill);
  }
}

function sumOf(one: AnswerBill, other: AnswerBill): AnswerBill {
  return {
    usage: addUsage(one.usage, other.usage),
    cost: {
      total: sumUsd(one.cost.total, other.cost.total),
      input: sumUsd(one.cost.input, other.cost.input),
      output: sumUsd(one.cost.output, other.cost.output),
    },
    unpriced: one.unpriced || other.unpriced,
    charge: sumUsd(one.charge, other.charge),
    isByok: one.isByok || other.isByok,
  };
}
