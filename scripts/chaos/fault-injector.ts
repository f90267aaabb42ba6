import { setTimeout as sleep } from 'node:timers/promises';
import type { Chooser } from '../../test/routing/random-numbers.ts';
import type { Engine, EngineFault, Part } from './engine.ts';
import type { Gateway } from './gateway.ts';
import type { LinkState } from './severable-proxy.ts';

/** The targets of faults. */
export interface Victims {
  readonly gateways: readonly Gateway[];
  readonly engines: readonly Engine[];
}

/** A past fault, for the report. Seconds since the start of the run. */
export interface PastFault {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/** A planned fault: its name, its target, and the function that runs it. */
interface Trouble {
  readonly name: string;
  readonly strikes: readonly unknown[];
  readonly run: () => Promise<void>;
}

/** Draws faults and tracks which are active. */
export class FaultInjector {
  readonly past: PastFault[] = [];
  readonly #victims: Victims;
  readonly #choose: Chooser;
  readonly #began = performance.now();
  readonly #now = new Set<Trouble>();
  readonly #watchers = new Set<Set<string>>();

  constructor(victims: Victims, choose: Chooser) {
    this.#victims = victims;
    this.#choose = choose;
  }

  /** Watches for faults from now on; the returned function names them and stops watching. */
  watch(): () => string {
    const seen = new Set([...this.#now].map(({ name }) => name));
    this.#watchers.add(seen);
    return () => {
      this.#watchers.delete(seen);
      const [first, ...more] = seen;
      return more.length > 0 ? 'several at once' : (first ?? 'calm');
    };
  }

  /** Injects faults for a number of milliseconds, then waits for the end of all. */
  async strike(duration: number): Promise<void> {
    const running: Promise<void>[] = [];
    const end = performance.now() + duration;
    while (performance.now() < end) {
      await sleep(1_000 + this.#choose.number() * 7_000);
      const trouble = this.#draw();
      const taken = new Set([...this.#now].flatMap(({ strikes }) => strikes));
      if (trouble.strikes.some((victim) => taken.has(victim))) continue;
      running.push(this.#run(trouble));
    }
    await Promise.all(running);
  }

  async #run(trouble: Trouble): Promise<void> {
    const { name } = trouble;
    const from = this.#seconds();
    this.#now.add(trouble);
    for (const seen of this.#watchers) seen.add(name);
    try {
      await trouble.run();
    } finally {
      this.#now.delete(trouble);
      this.past.push({ name, from, until: this.#seconds() });
    }
  }

  #draw(): Trouble {
    const { gateways, engines } = this.#victims;
    const kind = this.#choose.below(10);
    if (kind < 3) return this.#killed(this.#choose.one(gateways));
    const engine = this.#choose.one(engines);
    if (kind < 5) return this.#happened(engine, this.#choose.one(engine.engineFaults));
    const part = this.#choose.one(engine.parts);
    // One process alone, or all of them.
    const far = this.#choose.chance(0.6) ? [this.#choose.one(gateways)] : gateways;
    if (kind < 8)
      return this.#disturbed('cut off from', part, far, 'silent', 1_000 + this.#choose.number() * 19_000);
    if (kind < 9)
      return this.#disturbed('refused by', part, far, 'refusing', 500 + this.#choose.number() * 5_000);
    const delay = 20 + this.#choose.below(180);
    return this.#disturbed('slow to', part, far, { delay }, 2_000 + this.#choose.number() * 8_000);
  }

  #killed(gateway: Gateway): Trouble {
    const down = this.#choose.number() * 2_000;
    return {
      name: 'process killed',
      strikes: [gateway],
      run: async () => {
        await gateway.end('SIGKILL');
        await sleep(down);
        await gateway.start();
      },
    };
  }

  #happened(engine: Engine, { name, longest, begin, end }: EngineFault): Trouble {
    const down = this.#choose.number() * longest;
    return {
      name,
      strikes: [engine],
      run: async () => {
        await begin();
        await sleep(down);
        await end();
      },
    };
  }

  #disturbed(
    what: string,
    part: Part,
    gateways: readonly Gateway[],
    state: LinkState,
    duration: number,
  ): Trouble {
    const links = gateways.flatMap((gateway) => part.ports.flatMap((port) => gateway.links.get(port) ?? []));
    const many = gateways.length > 1 ? 'all' : 'one';
    return {
      name: `${many} ${what} ${part.name}`,
      strikes: links,
      run: async () => {
        for (const link of links) await link.set(state);
        await sleep(duration);
        for (const link of links) await link.set({ delay: 0 });
      },
    };
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#began) / 100) / 10;
  }
}
