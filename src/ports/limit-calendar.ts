import type { CalendarChange, CalendarRule, SpendCalendar } from '../core/limit-calendar.ts';

/** The windows of limits as all processes on a database go by them; those of UTC until something was read. */
export interface LimitCalendarStore extends SpendCalendar {
  /** The rules that `windowsAt` goes by, in the order of time; empty without a setting. */
  readonly changes: readonly CalendarChange[];
  /** Reads which rules hold and held. */
  load(): Promise<void>;
  /**
   * Sets a rule for this process and for each that reads it afterwards. It holds from the next windows on, or from the
   * beginning where nothing was spent yet. Changes nothing where it is the newest rule.
   * @param now Unix milliseconds.
   */
  agree(rule: CalendarRule, now: number): Promise<void>;
  /** Forgets rules and sums that no window needs any more. */
  prune(now: number): Promise<void>;
}
