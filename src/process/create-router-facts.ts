import type { Catalogue } from '../core/catalogue.ts';
import { systemClock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { TaskVectors } from '../routers/auto/task-vectors.ts';
import { LiveTraffic } from '../routers/live-traffic.ts';

/** What routers know besides the catalogue. */
export function createRouterFacts(
  { routerTraffic, generations }: Pick<Storage, 'routerTraffic' | 'generations'>,
  catalogue: () => Catalogue,
) {
  return {
    taskVectors: new TaskVectors(),
    routerStatistics: new LiveTraffic({ routerTraffic, generations, catalogue, clock: systemClock }),
  };
}
