import { outcomesInWords } from '../../parts/endpoint-troubles.tsx';
import { State } from '../../parts/state.tsx';
import type { Endpoint, EndpointHealth } from '../../state/endpoints.ts';
import { count, duration, many, percent } from '../../text/format.ts';

interface EndpointFactsProps {
  readonly endpoint: Endpoint;
  /** Undefined until it is known. */
  readonly health: EndpointHealth | undefined;
}

/** How an endpoint does, what it does with prompts, and how much it takes. */
export function EndpointFacts({ endpoint, health }: EndpointFactsProps) {
  const { latency_last_30m: latency, throughput_last_30m: speed } = endpoint;
  return (
    <dl class="facts">
      <dt>Uptime</dt>
      <dd>{uptimeOf(endpoint)}</dd>
      {health !== undefined && (
        <>
          <dt>Failures</dt>
          <dd>{failuresOf(health)}</dd>
        </>
      )}
      <dt>First token</dt>
      <dd>
        {latency === null
          ? 'no streamed answer in 30 minutes'
          : `half within ${duration(latency.p50)}, 99 of 100 within ${duration(latency.p99)}`}
        <Sample of={health?.latency_samples_30m} />
      </dd>
      <dt>Speed</dt>
      <dd>
        {speed === null
          ? 'no streamed answer in 30 minutes'
          : `half at ${count(Math.round(speed.p50))} tok/s or more`}
        <Sample of={health?.throughput_samples_30m} />
      </dd>
      {health !== undefined && (
        <>
          <dt>Prompts</dt>
          <dd>
            <Practice health={health} />
          </dd>
        </>
      )}
      <dt>Context</dt>
      <dd>{contextOf(endpoint)}</dd>
    </dl>
  );
}

/** How many answers figures rest on: of few they say little. */
function Sample({ of }: { readonly of: number | undefined }) {
  if (of === undefined || of === 0) return null;
  return <span class="hint"> of {many(of, 'answer')} in 30 minutes</span>;
}

/** What the provider does with prompts; where nothing is known it may do anything. */
function Practice({ health }: { readonly health: EndpointHealth }) {
  const { retains_prompts: retains, trains_on_prompts: trains, publishes_prompts: publishes } = health;
  return (
    <ul class="plain-list">
      <li>
        <State tone={retains ? 'warn' : 'good'}>{retains ? 'may be kept' : 'zero data retention'}</State>
      </li>
      <li>
        <State tone={trains ? 'warn' : 'good'}>{trains ? 'may be trained on' : 'not trained on'}</State>
      </li>
      {publishes && (
        <li>
          <State tone="bad">may be published</State>
        </li>
      )}
    </ul>
  );
}

function failuresOf({
  attempts_30m: attempts,
  failures_30m: failures,
  outcomes_30m: kinds,
}: EndpointHealth): string {
  if (attempts === 0 && (kinds ?? []).length === 0)
    return 'not tried with the shared credential in 30 minutes';
  const counted = failures === 0 ? 'none' : count(failures);
  const words = kinds === null || kinds.length === 0 ? '' : `: ${outcomesInWords(kinds)}`;
  return `${counted} of ${many(attempts, 'attempt')} in 30 minutes${words}`;
}

function uptimeOf({ uptime_last_5m: five, uptime_last_30m: thirty, uptime_last_1d: day }: Endpoint): string {
  const known = [
    [five, 'in 5 minutes'],
    [thirty, 'in 30 minutes'],
    [day, 'in a day'],
  ] as const;
  const parts = known.flatMap(([value, name]) => (value === null ? [] : [`${percent(value / 100)} ${name}`]));
  return parts.length === 0 ? 'too few attempts to say' : parts.join(', ');
}

function contextOf(endpoint: Endpoint): string {
  const { context_length: context, max_completion_tokens: output, max_prompt_tokens: prompt } = endpoint;
  return [
    context === 0 ? 'unknown' : `${count(context)} tokens`,
    ...(prompt === null ? [] : [`a prompt of ${count(prompt)} at most`]),
    ...(output === null ? [] : [`${count(output)} output at most`]),
    ...(endpoint.quantization === null ? [] : [endpoint.quantization]),
  ].join(', ');
}
