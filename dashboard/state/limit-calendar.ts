import { computed } from '@preact/signals';
import { LimitCalendar } from '../../src/core/limit-calendar.ts';
import { session } from '../api/session-state.ts';

const changes = computed(() => session.value?.features.limit_calendar ?? []);

/** The windows of limits, as the installation has them. */
export const limitCalendar = computed(
  () =>
    new LimitCalendar(
      changes.value.map(({ since, time_zone: timeZone, week_start: weekStart }) => ({
        since,
        timeZone,
        weekStart,
      })),
    ),
);

/** The zone that limits and budgets begin anew in. */
export const limitZone = computed(() => changes.value.at(-1)?.time_zone ?? 'UTC');
