import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { GatewayCounters } from '../metrics/gateway-counters.ts';
import { systemClock } from '../ports/clock.ts';
import type { LapsedHold } from '../ports/in-flight-budget.ts';
import type { SharedState } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';
import { closeLapsed } from '../settlement/lapsed-call.ts';
import { LeaseKeeper } from '../settlement/lease-keeper.ts';
import { LimitWaits } from '../settlement/limit-waits.ts';
import { MeasuredCalls } from '../settlement/measured-calls.ts';
import { RateLeases } from '../settlement/rate-leases.ts';

/** Where lapsed requests are recorded and reported. */
interface LeaseParts {
  readonly storage: Pick<Storage, 'ledger'>;
  readonly log: Logger;
}

/** The leases that this process renews while its requests run, and what it knows of requests that limits concern. */
export function createLeases(
  parts: LeaseParts,
  shared: SharedState,
  limits: () => Config['limits'],
  counters: GatewayCounters,
) {
  const rules = () => limits().inFlightBudget;
  const onLapsed = tellLapsed(parts, counters);
  return {
    leases: new LeaseKeeper(shared.inFlightBudget, rules, onLapsed),
    limitWaits: new LimitWaits(),
    endpointWaits: new LimitWaits(),
    measuredCalls: new MeasuredCalls(),
    rateLeases: new RateLeases(shared.rateLimits, rules, (failure) => onLapsed([], failure)),
  };
}

/** Returns the callback for requests that nobody settled: it reports them to operators and closes their records. */
function tellLapsed(
  { storage, log }: LeaseParts,
  counters: GatewayCounters,
): (holds: readonly LapsedHold[], failure: unknown) => void {
  return (holds, err) => {
    if (holds.length === 0) {
      log.warn({ err }, 'leases of running requests could not be renewed; it is tried again');
      return;
    }
    counters.lapsedHolds += holds.length;
    const lapsed = holds.map(({ requestId }) => requestId);
    log.error({ lapsed }, 'holds of requests nobody settled have lapsed');
    closeLapsed(holds, { ledger: storage.ledger, clock: systemClock }).catch((failure: unknown) =>
      log.error({ lapsed, err: failure }, 'records of requests nobody settled could not be closed'),
    );
  };
}
