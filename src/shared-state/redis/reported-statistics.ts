import type { Endpoint } from '../../core/catalogue.ts';
import type {
  AnswerFacts,
  AttemptOutcome,
  AttemptRecord,
  EndpointAccess,
  EndpointStatistics,
  OutcomeFacts,
} from '../../ports/endpoint-statistics.ts';
import type {
  EndpointName,
  MemoryEndpointStatistics,
} from '../memory/statistics/memory-endpoint-statistics.ts';
import { outcomeKinds } from '../memory/statistics/outcome-cell.ts';
import { numberMember, type ProcessChannel, textMember } from './process-channel.ts';

/** Milliseconds between two messages. */
const interval = 250;
/** Limit of events in one message; further events of an interval count in this process alone. */
const maxReported = 5_000;

/** One event as sent to other processes: the endpoint's names, then the facts. */
interface StatisticsEvent {
  readonly provider: string;
  readonly tag: string;
  readonly model: string;
  readonly credentialId?: string;
  readonly outcome?: AttemptOutcome;
  readonly timeToFirstToken?: number;
  readonly throughput?: number;
  readonly retryAfter?: number;
  /** Of tool calls; then no other member is set. */
  readonly valid?: 0 | 1;
}

/**
 * Statistics that this process sends to others a few times per second, and that include what others send. During an
 * outage others lose those events, but this process keeps them.
 */
export class ReportedStatistics implements EndpointStatistics {
  readonly #own: MemoryEndpointStatistics;
  readonly #channel: ProcessChannel;
  readonly #timer: NodeJS.Timeout;
  #unsent: StatisticsEvent[] = [];

  constructor(own: MemoryEndpointStatistics, channel: ProcessChannel) {
    this.#own = own;
    this.#channel = channel;
    channel.listen((news) => {
      if (Array.isArray(news)) for (const event of news) this.#hear(event);
    });
    this.#timer = setInterval(() => this.#flush(), interval).unref();
  }

  record(record: AttemptRecord): void {
    this.#own.record(record);
    const { endpoint, credentialId, outcome, timeToFirstToken, throughput, retryAfter } = record;
    this.#note({
      ...nameOf(endpoint),
      credentialId,
      outcome,
      timeToFirstToken,
      throughput,
      retryAfter,
    });
  }

  recordToolCalls(endpoint: Endpoint, valid: boolean): void {
    this.#own.recordToolCalls(endpoint, valid);
    this.#note({ ...nameOf(endpoint), valid: valid ? 1 : 0 });
  }

  outcomes(access: EndpointAccess): OutcomeFacts | undefined {
    return this.#own.outcomes(access);
  }

  answers(endpoint: Endpoint): AnswerFacts | undefined {
    return this.#own.answers(endpoint);
  }

  /** Sends what is left, then stops. */
  close(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #note(event: StatisticsEvent): void {
    if (this.#unsent.length < maxReported) this.#unsent.push(event);
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    this.#channel.publish(this.#unsent);
    this.#unsent = [];
  }

  #hear(event: unknown): void {
    const slug = textMember(event, 'provider');
    const tag = textMember(event, 'tag');
    const upstreamModel = textMember(event, 'model');
    if (slug === undefined || tag === undefined || upstreamModel === undefined) return;
    const endpoint: EndpointName = { provider: { slug }, tag, upstreamModel };
    const valid = numberMember(event, 'valid');
    if (valid !== undefined) this.#own.recordToolCalls(endpoint, valid === 1);
    else this.#own.record({ endpoint, ...readAttempt(event) });
  }
}

function nameOf({
  provider,
  tag,
  upstreamModel,
}: Endpoint): Pick<StatisticsEvent, 'provider' | 'tag' | 'model'> {
  return { provider: provider.slug, tag, model: upstreamModel };
}

function readAttempt(event: unknown): Omit<AttemptRecord, 'endpoint'> {
  const outcome = textMember(event, 'outcome');
  return {
    credentialId: textMember(event, 'credentialId'),
    outcome: outcomeKinds.find((one) => one === outcome),
    timeToFirstToken: numberMember(event, 'timeToFirstToken'),
    throughput: numberMember(event, 'throughput'),
    retryAfter: numberMember(event, 'retryAfter'),
  };
}
