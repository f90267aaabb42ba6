import { dependencyStates } from './dependency-health.ts';
import type { ProviderCounters } from './gateway-counters.ts';
import type { Figures, HistogramValue, MetricFamily, Sample } from './metric-family.ts';

/** The resources of the process itself. Named as in other exporters, where there is a convention. */
const processFamilies: readonly MetricFamily[] = [
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

const nano = 1e-9;

const requestFamilies: readonly MetricFamily[] = [
  {
    name: 'headgate_requests_total',
    type: 'counter',
    help: 'Requests that ended, by the status and error type of the answer; 499: the client left. A stream that failed after it had begun counts as 200 with its error type. For routes other than inference only errors count.',
    labels: ['status', 'error_type'],
    read: ({ counters }) => [
      { labels: ['200', 'none'], value: counters.served },
      ...[...counters.requests].map(({ labels, count }) => ({ labels, value: count })),
    ],
  },
  {
    name: 'headgate_refusals_total',
    type: 'counter',
    help: 'Requests refused for lack of money or by a limit of this service (402, 403 and 429), by the limit and the reason.',
    labels: ['status', 'limit_source', 'reason'],
    read: ({ counters }) => [...counters.refusals].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_rate_refusals_total',
    type: 'counter',
    help: 'Requests above a limit of requests or tokens a minute or of parallel requests, by whose limit it was: key, account or service.',
    labels: ['scope', 'metric'],
    read: ({ counters }) => [...counters.rateRefusals].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_pipeline_entries_total',
    type: 'counter',
    help: 'What plugins and guardrails did to requests, by the type and name of the entry and its action; observed: a guardrail that observes would have acted.',
    labels: ['type', 'name', 'action'],
    read: ({ counters }) => [...counters.stages].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_failed_authentications_total',
    type: 'counter',
    help: 'Keys that were not accepted: rejected after a look at the database or what is known of it, or throttled before one because too many of the same address were rejected.',
    labels: ['reason'],
    read: ({ counters }) =>
      [...counters.failedAuthentications].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_requests_running',
    type: 'gauge',
    help: 'Inference requests being answered now.',
    labels: [],
    read: ({ traffic }) => one(traffic.running),
  },
  {
    name: 'headgate_streams_open',
    type: 'gauge',
    help: 'Streamed requests among those being answered now.',
    labels: [],
    read: ({ traffic }) => one(traffic.streams),
  },
  {
    name: 'headgate_request_duration_seconds',
    type: 'histogram',
    help: 'From receiving an inference request until its answer ended and was ready to be booked, including failures and clients that left.',
    labels: ['streamed'],
    read: ({ counters: { durations } }) => [
      { labels: ['true'], value: durations.streamed },
      { labels: ['false'], value: durations.whole },
    ],
  },
  {
    name: 'headgate_time_to_first_token_seconds',
    type: 'histogram',
    help: 'From receiving a streamed request to the first visible token, including failed attempts before it, by the provider that answered.',
    labels: ['provider'],
    read: byProvider((provider) => provider.timeToFirstToken),
  },
];

const toolFamilies: readonly MetricFamily[] = [
  {
    name: 'headgate_tool_calls_total',
    type: 'counter',
    help: 'Calls of tools that the gateway runs, by type id and outcome; error: the model was told that the call failed.',
    labels: ['tool', 'outcome'],
    read: ({ counters }) =>
      [...counters.tools].flatMap(([tool, { calls }]) => [
        { labels: [tool, 'ok'], value: calls.ok },
        { labels: [tool, 'error'], value: calls.error },
      ]),
  },
  {
    name: 'headgate_tool_call_duration_seconds',
    type: 'histogram',
    help: 'How long calls of tools that the gateway runs took, by type id.',
    labels: ['tool'],
    read: ({ counters }) =>
      [...counters.tools].map(([tool, { durations }]) => ({ labels: [tool], value: durations })),
  },
  {
    name: 'headgate_tool_cost_usd_total',
    type: 'counter',
    help: 'What calls of tools that the gateway runs cost in fees and inner turns, in USD, by type id.',
    labels: ['tool'],
    read: ({ counters }) =>
      [...counters.tools].map(([tool, { cost }]) => ({ labels: [tool], value: cost * nano })),
  },
];

const upstreamFamilies: readonly MetricFamily[] = [
  {
    name: 'headgate_tokens_total',
    type: 'counter',
    help: 'Tokens of answered requests, by provider and direction.',
    labels: ['provider', 'direction'],
    read: ({ counters }) =>
      [...counters.providers].flatMap(([slug, { input, output }]) => [
        { labels: [slug, 'input'], value: input },
        { labels: [slug, 'output'], value: output },
      ]),
  },
  {
    name: 'headgate_cached_input_tokens_total',
    type: 'counter',
    help: 'The input tokens among them that were read from a cache of the provider.',
    labels: ['provider'],
    read: byProvider((provider) => provider.cachedInput),
  },
  {
    name: 'headgate_reasoning_tokens_total',
    type: 'counter',
    help: 'The output tokens among them that were used for reasoning.',
    labels: ['provider'],
    read: byProvider((provider) => provider.reasoning),
  },
  {
    name: 'headgate_implausible_usage_total',
    type: 'counter',
    help: 'Answers whose reported usage, searches, pictures or pages exceeded what was sent, allowed or received; it was estimated instead.',
    labels: ['provider'],
    read: byProvider((provider) => provider.implausible),
  },
  {
    name: 'headgate_charged_usd_total',
    type: 'counter',
    help: 'Credits charged, in USD. For people and alerts; the ledger is authoritative.',
    labels: ['provider'],
    read: byProvider((provider) => provider.charged * nano),
  },
  {
    name: 'headgate_list_cost_usd_total',
    type: 'counter',
    help: 'Cost of the same usage at list prices, in USD; with own credentials the account pays it to the provider.',
    labels: ['provider'],
    read: byProvider((provider) => provider.listCost * nano),
  },
  {
    name: 'headgate_upstream_attempts_total',
    type: 'counter',
    help: 'Calls to a provider, by outcome; abandoned: the client left, or another endpoint was faster.',
    labels: ['provider', 'outcome'],
    read: ({ counters }) =>
      [...counters.providers].flatMap(([slug, { attempts }]) =>
        Object.entries(attempts).map(([outcome, value]) => ({ labels: [slug, outcome], value })),
      ),
  },
  {
    name: 'headgate_upstream_failures_total',
    type: 'counter',
    help: 'Failed calls to a provider, by reason: a row of docs/errors.md, or why it could not be reached.',
    labels: ['provider', 'reason'],
    read: ({ counters }) => [...counters.failures].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_provider_key_attempts_total',
    type: 'counter',
    help: 'Calls to a provider with several api_keys, by the position of the one that was used and by outcome.',
    labels: ['provider', 'key', 'outcome'],
    read: ({ counters }) => [...counters.keyAttempts].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_fallbacks_total',
    type: 'counter',
    help: 'Requests that tried more than one endpoint, by outcome.',
    labels: ['result'],
    read: ({ counters: { fallbacks } }) =>
      Object.entries(fallbacks).map(([result, value]) => ({ labels: [result], value })),
  },
];

const bookFamilies: readonly MetricFamily[] = [
  {
    name: 'headgate_commit_duration_seconds',
    type: 'histogram',
    help: 'Time until charges were durable; the last byte of an answer waits for it.',
    labels: [],
    read: ({ counters }) => one(counters.commits),
  },
  {
    name: 'headgate_commit_failures_total',
    type: 'counter',
    help: 'Charges that could not be booked; their answers were not sent, or failed.',
    labels: [],
    read: ({ counters }) => one(counters.failedCommits),
  },
  {
    name: 'headgate_charges_waiting',
    type: 'gauge',
    help: 'Charges of this process that are durable on its machine and not yet in the database.',
    labels: [],
    read: ({ waitingCharges }) => one(waitingCharges),
  },
  {
    name: 'headgate_lapsed_holds_total',
    type: 'counter',
    help: 'Holds of the in-flight budget that expired without settlement, because their process died.',
    labels: [],
    read: ({ counters }) => one(counters.lapsedHolds),
  },
  {
    name: 'headgate_answer_cache_hits_total',
    type: 'counter',
    help: 'Requests that asked for cached answers and got one.',
    labels: [],
    read: ({ counters }) => one(counters.cached.hits),
  },
  {
    name: 'headgate_answer_cache_misses_total',
    type: 'counter',
    help: 'Requests that asked for cached answers and found none.',
    labels: [],
    read: ({ counters }) => one(counters.cached.misses),
  },
  {
    name: 'headgate_answer_cache_saved_usd_total',
    type: 'counter',
    help: 'What cached answers had cost when they were made, in USD.',
    labels: [],
    read: ({ counters }) => one(counters.cached.saved * nano),
  },
  {
    name: 'headgate_alerts_total',
    type: 'counter',
    help: 'Alerts by webhook: raised (by type), and attempts to send one: delivered, failed or given_up after the last one.',
    labels: ['type', 'result'],
    read: ({ counters }) => [...counters.alerts].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_sink_items_total',
    type: 'counter',
    help: 'Spans for the collector (sink traces), and requests for destinations by their type: sent, or dropped because it was away or too much waited.',
    labels: ['sink', 'result'],
    read: ({ counters }) => [...counters.exports].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_content_total',
    type: 'counter',
    help: 'Calls of which what was said was to be kept: kept, or dropped because too much waited or it could not be stored.',
    labels: ['result'],
    read: ({ counters }) => [...counters.contents].map(({ labels, count }) => ({ labels, value: count })),
  },
  {
    name: 'headgate_dependency_state',
    type: 'gauge',
    help: '1 for the state a dependency is in, 0 for the others it may be in.',
    labels: ['dependency', 'state'],
    read: ({ dependencies }) =>
      Object.entries(dependencies).flatMap(([name, now]) =>
        statesOf(name).map((state) => ({ labels: [name, state], value: state === now ? 1 : 0 })),
      ),
  },
];

/** Every metric, in the order of display. docs/metrics.md contains the same table. */
export const metricFamilies: readonly MetricFamily[] = [
  ...requestFamilies,
  ...toolFamilies,
  ...upstreamFamilies,
  ...bookFamilies,
  ...processFamilies,
];

function one(value: number | HistogramValue): readonly Sample[] {
  return [{ labels: [], value }];
}

function byProvider(
  read: (counters: ProviderCounters) => number | HistogramValue,
): (figures: Figures) => readonly Sample[] {
  return ({ counters }) =>
    [...counters.providers].map(([slug, provider]) => ({ labels: [slug], value: read(provider) }));
}

function statesOf(name: string): readonly string[] {
  return name in dependencyStates ? dependencyStates[name as keyof typeof dependencyStates] : [];
}
