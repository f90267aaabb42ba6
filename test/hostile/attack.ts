/** Where an attack goes and what it may use. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** An inference key of the attacker's own. */
  readonly key: string;
  /** A key of a prepaid account that has no credits. */
  readonly poorKey: string;
  /** Seconds the attack lasts. */
  readonly seconds: number;
  readonly seed: number;
}

/** What a running attack is given besides its target. */
export interface AttackContext extends Target {
  /** Aborted when the attack is over. */
  readonly signal: AbortSignal;
  /** Counts something by name, such as an answer by its status. */
  readonly count: (name: string, by?: number) => void;
}

/** A server that is about to be attacked. */
export interface PreparedTarget {
  readonly port: number;
  readonly keys: { readonly attacker: string; readonly management: string };
}

/** What an attack counted, by name. */
export type Counts = Readonly<Record<string, number>>;

/** One way a client or a provider can try to bring the server down. */
export interface Attack {
  /** As `--only` takes it. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly title: string;
  /** MiB of resident memory by which the server may grow at most while it lasts. */
  readonly memory: number;
  /**
   * Whether the attack wants the server to refuse work: then a 503 with `Retry-After` is a right answer to others as well.
   */
  readonly sheds?: boolean;
  /**
   * Whether the attack opens hundreds of connections. The runtime accepts one in each turn of its event loop, so whoever
   * connects waits behind them; others then keep the connections they have.
   */
  readonly crowdsListener?: boolean;
  /** Where other clients come from, when the attack is about the address it comes from. */
  readonly othersFrom?: string;
  /** Milliseconds that the server may need after it until everything is settled. */
  readonly windDown?: number;
  /** Sets something up before anything is measured. */
  prepare?(target: PreparedTarget): Promise<void>;
  /** Milliseconds in which what it still waits for at its end may come; one and a half seconds by default. */
  readonly patience?: number;
  /** Attacks until the signal of the context is aborted. Runs in a process of its own. */
  run(context: AttackContext): Promise<void>;
  /** What is wrong with what the attack counted; none when all is well. */
  judge?(counts: Counts): readonly string[];
}
