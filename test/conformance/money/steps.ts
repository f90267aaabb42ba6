import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NaiveMoney } from './naive-money.ts';
import type { RealMoney } from './real-money.ts';
import { leaps, tokenPrices } from './scenario.ts';

type Money = fc.AsyncCommand<NaiveMoney, RealMoney>;
type Act = (model: NaiveMoney, real: RealMoney) => Promise<void>;

/** How many steps were carried out, over all runs. */
export const counter = { steps: 0 };

/** A step: done to both, after which both must say the same of everything. */
class Step implements Money {
  readonly #name: string;
  readonly #act: Act;

  constructor(name: string, act: Act) {
    this.#name = name;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  async run(model: NaiveMoney, real: RealMoney): Promise<void> {
    counter.steps += 1;
    await this.#act(model, real);
    assert.deepEqual(await real.view(), viewOf(model), `after ${this.#name}`);
  }

  toString(): string {
    return this.#name;
  }
}

function viewOf(model: NaiveMoney) {
  const { balance, purchased, spent, inFlight, freeToday, settings } = model;
  const spend = settings.caps.map(({ amount }, key) => (amount === null ? undefined : model.keySpend(key)));
  return { balance, purchased, spent, spend, inFlight, freeToday };
}

let nextCall = 0;

/** Picks a running call of both, if there is any. */
function pick(model: NaiveMoney, index: number): number | undefined {
  const ids = [...model.calls.keys()];
  return ids[index % ids.length];
}

const key = fc.nat(1);
const index = fc.nat(5);
const tokens = fc.integer({ min: 1, max: 60 });

const admit = fc
  .record({ key, free: fc.nat(3).map((one) => one === 0), tokens, times: fc.constantFrom(1, 1, 1, 2, 7) })
  .map(
    (call) =>
      new Step(`admit ${JSON.stringify(call)}`, async (model, real) => {
        const ids = Array.from({ length: call.times }, () => (nextCall += 1));
        const outcomes = await Promise.all(ids.map((id) => real.admit(id, call.key, call.free, call.tokens)));
        const expected = ids.map((id) => model.admit(id, call.key, call.free, call.tokens));
        assert.deepEqual(outcomes, expected);
      }),
  );

const fallBack = fc.record({ index, endpoint: fc.nat(tokenPrices.length - 1) }).map(
  (call) =>
    new Step(`fall back ${JSON.stringify(call)}`, async (model, real) => {
      const id = pick(model, call.index);
      const running = id === undefined ? undefined : model.calls.get(id);
      if (id === undefined || running?.free !== false || running.endpoint === call.endpoint) return;
      assert.deepEqual(await real.fallBack(id, call.endpoint), model.fallBack(id, call.endpoint));
    }),
);

const ending = fc.constantFrom('finished', 'finished', 'cancelled', 'failed');

function chargeOf(
  model: NaiveMoney,
  id: number,
  made: number,
  how: 'finished' | 'cancelled' | 'failed',
): number {
  const call = model.calls.get(id);
  assert.ok(call);
  return call.free || how === 'failed' ? 0 : made * (tokenPrices[call.endpoint] ?? 0);
}

const settle = fc.record({ index, tokens, ending }).map(
  (call) =>
    new Step(`settle ${JSON.stringify(call)}`, async (model, real) => {
      const id = pick(model, call.index);
      if (id === undefined) return;
      model.settle(id, chargeOf(model, id, call.tokens, call.ending));
      await real.settle(id, call.tokens, call.ending);
    }),
);

const settleAll = fc.record({ tokens, ending }).map(
  (call) =>
    new Step(`settle all while the books are read ${JSON.stringify(call)}`, async (model, real) => {
      const ids = [...model.calls.keys()];
      for (const id of ids) model.settle(id, chargeOf(model, id, call.tokens, call.ending));
      const settled = ids.map(async (id, position) => {
        if (position % 2 === 0) await real.readBooks();
        await real.settle(id, call.tokens, call.ending);
      });
      await Promise.all([real.readBooks(), ...settled, real.readBooks()]);
    }),
);

const crash = index.map(
  (chosen) =>
    new Step(`crash ${chosen}`, async (model, real) => {
      const id = pick(model, chosen);
      const call = id === undefined ? undefined : model.calls.get(id);
      if (id === undefined || call === undefined) return;
      call.alive = false;
      real.crash(id);
    }),
);

const restart = fc.constant(
  new Step('restart', async (model, real) => {
    model.restart();
    real.restart();
  }),
);

const advance = fc.constantFrom(...leaps).map(
  (milliseconds) =>
    new Step(`advance ${milliseconds}`, async (model, real) => {
      model.advance(milliseconds);
      await real.advance(milliseconds);
    }),
);

const day = 86_400_000;

/** To the last or first moment around the end of the day. */
const toMidnight = fc.constantFrom(-1, 0, 1).map(
  (offset) =>
    new Step(`to midnight ${offset}`, async (model, real) => {
      const milliseconds = day - (model.now % day) + offset;
      model.advance(milliseconds);
      await real.advance(milliseconds);
    }),
);

/** Longer than anything may be out of date. */
const staleness = 3_001;

const append = fc
  .record({
    amount: fc.integer({ min: -60, max: 250 }),
    type: fc.constantFrom('grant', 'purchase', 'refund', 'adjustment'),
    purchase: fc.boolean(),
    elsewhere: fc.boolean(),
  })
  .map(
    (entry) =>
      new Step(`append ${JSON.stringify(entry)}`, async (model, real) => {
        const { amount, type, elsewhere } = entry;
        const purchase = entry.purchase && !(type === 'refund' && amount > 0);
        model.entries.push({ amount, purchase });
        await real.append(amount, { type, countsAsPurchase: purchase }, elsewhere);
        if (!elsewhere) return;
        model.advance(staleness);
        await real.advance(staleness);
      }),
  );

const changeCap = fc
  .record({
    key,
    amount: fc.option(fc.nat(200)),
    reset: fc.option(fc.constantFrom('daily', 'weekly', 'monthly')),
  })
  .map(
    (cap) =>
      new Step(`cap ${JSON.stringify(cap)}`, async (model, real) => {
        model.settings.caps[cap.key] = { amount: cap.amount, reset: cap.reset };
        await real.setCap(cap.key, model.settings);
      }),
  );

const changeAccount = fc.record({ inflightExempt: fc.boolean(), freeLimitExempt: fc.boolean() }).map(
  (change) =>
    new Step(`account ${JSON.stringify(change)}`, async (model, real) => {
      Object.assign(model.settings, change);
      await real.setAccount(model.settings);
    }),
);

/** Any sequence of steps, those of everyday the most. */
export const sequences = fc.commands(
  [
    admit,
    admit,
    admit,
    fallBack,
    settle,
    settle,
    settleAll,
    append,
    advance,
    toMidnight,
    changeCap,
    crash,
    restart,
    changeAccount,
  ],
  { maxCommands: 24, size: 'max' },
);
