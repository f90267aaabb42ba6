import type { Logger } from 'pino';
import type { CalendarRule } from '../core/limit-calendar.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { LimitCalendarStore } from '../ports/limit-calendar.ts';
import { zoneName } from '../util/local-days.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** Milliseconds between two looks at the rule that all processes go by. */
const pause = 60_000;
/** Looks between two times that old rules and sums are forgotten: an hour. */
const pruneEvery = 60;

/** What the keeper reads and writes. */
interface KeeperParts {
  readonly calendar: LimitCalendarStore;
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes the configured zone and week those that limits count in, in all processes, and follows what another process that
 * was configured later has set (docs/spec/accounts.md#windows).
 */
export class CalendarKeeper {
  readonly #parts: KeeperParts;
  readonly #looking: RecurringTask;
  #agreed: CalendarRule | undefined;
  #looks = 0;

  private constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#looking = new RecurringTask(
      () => this.#look(),
      () => pause,
    );
  }

  /** Begins with the rule of the configuration. @throws HeadgateError `service_unavailable` when it cannot be stored. */
  static async begin(parts: KeeperParts): Promise<CalendarKeeper> {
    const keeper = new CalendarKeeper(parts);
    try {
      await keeper.#agree();
      return keeper;
    } catch (error) {
      keeper.close();
      throw error;
    }
  }

  /** Applies a changed configuration, soon and until it is stored. */
  rulesChanged(): void {
    void this.#look();
  }

  /** Stops for good. */
  close(): void {
    this.#looking.close();
  }

  async #look(): Promise<void> {
    const { calendar, clock, log } = this.#parts;
    try {
      const { timeZone, weekStart } = ruleOf(this.#parts.limits());
      if (timeZone !== this.#agreed?.timeZone || weekStart !== this.#agreed.weekStart) await this.#agree();
      else await calendar.load();
      this.#looks += 1;
      if (this.#looks % pruneEvery === 0) await calendar.prune(clock.now());
    } catch (err) {
      log.warn({ err }, 'the zone of limits could not be read or stored; it is tried again');
    }
  }

  async #agree(): Promise<void> {
    const rule = ruleOf(this.#parts.limits());
    await this.#parts.calendar.agree(rule, this.#parts.clock.now());
    this.#agreed = rule;
  }
}

/** Zones that were configured are known; two names of UTC are one. */
function ruleOf({ resetTimezone, weekStart }: Limits): CalendarRule {
  return { timeZone: zoneName(resetTimezone) ?? 'UTC', weekStart };
}
