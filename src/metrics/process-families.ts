import type { Figures, HistogramValue, MetricFamily } from './metric-family.ts';

/** The resources of the process itself. Named as in other exporters, where there is a convention. */
export const processFamilies: readonly MetricFamily[] = [
  ofProcess(
    'headgate_event_loop_delay_seconds',
    'histogram',
    'How late timers come: for as long nothing else gets its turn either.',
    ({ eventLoopDelays }) => eventLoopDelays,
  ),
  ofProcess(
    'headgate_event_loop_active_seconds_total',
    'counter',
    'Time in which the main thread did something; its rate is how busy that thread is.',
    ({ process: { eventLoopActive } }) => eventLoopActive,
  ),
  ofProcess(
    'process_cpu_seconds_total',
    'counter',
    'CPU time of all threads.',
    ({ process: { cpu } }) => cpu,
  ),
  ofProcess(
    'process_resident_memory_bytes',
    'gauge',
    'Resident memory.',
    ({ process: { residentMemory } }) => residentMemory,
  ),
  ofProcess(
    'nodejs_heap_size_used_bytes',
    'gauge',
    'Memory of JavaScript objects in use.',
    ({ process: { heapUsed } }) => heapUsed,
  ),
  ofProcess(
    'nodejs_external_memory_bytes',
    'gauge',
    'Memory of JavaScript objects outside the heap, such as buffers.',
    ({ process: { externalMemory } }) => externalMemory,
  ),
  ofProcess(
    'process_open_fds',
    'gauge',
    'Open files and connections; only where the system reports them.',
    ({ process: { openFiles } }) => openFiles,
  ),
  ofProcess(
    'process_start_time_seconds',
    'gauge',
    'When the process started, in Unix time.',
    ({ process: { startedAt } }) => startedAt,
  ),
  {
    name: 'headgate_build_info',
    type: 'gauge',
    help: 'Always 1; the labels describe the program.',
    labels: ['version', 'node'],
    read: ({ version }) => [{ labels: [version, process.versions.node], value: 1 }],
  },
];

function ofProcess(
  name: string,
  type: MetricFamily['type'],
  help: string,
  read: (figures: Figures) => number | HistogramValue | undefined,
): MetricFamily {
  return {
    name,
    type,
    help,
    labels: [],
    read: (figures) => {
      const value = read(figures);
      return value === undefined ? [] : [{ labels: [], value }];
    },
  };
}
