import type { CalendarChange, CalendarRule, SpendCalendar } from '../core/limit-calendar.ts';

/** The windows of limits as all processes on a database go by them; those of UTC until something was read. */
export interface LimitCalendarStore extends SpendCalendar {
  /** The rules that `windowsAt` goes by, in the order of time; none where nobody set one. */
  readonly changes: readonly CalendarChange[];
  /** Reads which rules hold and held. */
  load(): Promise<void>;
  /**
   * Goes by a rule from the next windows on, or from always where nothing was spent yet, in this process and in each that
   * reads it afterwards. Changes nothing where it is the newest rule.
   * @param now Unix milliseconds.
   */
  agree(rule: CalendarRule, now: number): Promise<void>;
  /** Forgets rules and sums that no window needs any more. */
  prune(now: number): Promise<void>;
}
