import { bottleneck, cpuCosts, driveInTurns, type Phase, rates } from './drive.ts';
import type { Engines } from './engines.ts';
import { compareRounds, type PartResult } from './figures.ts';
import { bareProxy } from './gateways.ts';
import { headgateWith } from './headgate.ts';
import { roundsOf } from './lineup.ts';
import { bothCores } from './processes.ts';
import type { Workbench } from './workbench.ts';

/**
 * Compares one Headgate process with two that share a port, a database and a shared state. The first has a core of
 * its own; the second shares its core with clients, upstream, PostgreSQL and Redis. Therefore the rate of two
 * processes with a core each is also computed from the CPU time of a request.
 */
export async function measureProcesses(bench: Workbench, engines: Engines): Promise<PartResult> {
  const one = await engines.oneProcess();
  const settings = { name: 'two processes', isPrepaid: true, workers: 2, cores: bothCores };
  const two = await bench.start(headgateWith({ ...settings, ...engines.urls }));
  const phases = await driveInTurns(bench, { part: 'processes', kind: 'unstreamed', share: 0.5 }, [one, two]);
  await two.stop();
  const [alone = [], together = []] = phases;
  const bare = await driveBare(bench);
  return {
    sides: { yardstick: 'one process', subject: two.name },
    figures: [
      {
        key: 'processes.requests_per_second',
        label: 'requests, unstreamed, on cores shared with the load',
        unit: 'requests/s',
        better: 'higher',
        ...compareRounds(roundsOf(phases, rates)),
      },
      {
        key: 'processes.cpu_microseconds_per_request',
        label: 'gateway CPU per request, unstreamed',
        unit: 'µs',
        better: 'lower',
        ...compareRounds(roundsOf(phases, cpuCosts)),
      },
      {
        key: 'processes.capacity',
        label: 'requests with a core for each process, reckoned from CPU',
        unit: 'requests/s',
        better: 'higher',
        ...compareRounds({ yardstick: capacity(alone, 1), subject: capacity(together, 2) }),
      },
      {
        key: 'processes.bare_requests_per_second',
        label: 'requests, unstreamed, bare proxies on the same cores',
        unit: 'requests/s',
        better: 'higher',
        ...compareRounds(roundsOf(bare, rates)),
      },
    ],
    phases: [...phases, ...bare].flat(),
    notes: [
      'processes: clients, upstream, PostgreSQL and Redis compete with the second process for its core',
      `processes, one: ${bottleneck(alone, { hasServers: true })}`,
      `processes, two: ${bottleneck(together, { cores: 2, hasServers: true })}`,
    ],
  };
}

/** One bare proxy and two of them that share a port, which shows the limit of these cores. */
async function driveBare(bench: Workbench): Promise<readonly (readonly Phase[])[]> {
  const gateways = await Promise.all(
    [1, 2].map((processes) => bench.start(bareProxy(`${processes} bare`, { processes }))),
  );
  const phases = await driveInTurns(bench, { part: 'processes', kind: 'unstreamed', share: 0.5 }, gateways);
  for (const gateway of gateways) await gateway.stop();
  return phases;
}

/** Requests per second that fill a number of cores. */
function capacity(phases: readonly Phase[], cores: number): readonly number[] {
  return cpuCosts(phases).map((microseconds) => (cores * 1e6) / microseconds);
}
