import { hash, randomUUID } from 'node:crypto';
import type { EgressSettings } from '../egress/egress-rules.ts';
import type { TextScanner } from '../guardrails/content-scanner.ts';
import type { SealedSecret } from '../ports/credentials.ts';
import type {
  ActiveDestination,
  Destination,
  DestinationDesk,
  DestinationHealth,
  DestinationStore,
  DestinationTestFailure,
  OpenDestination,
} from '../ports/destinations.ts';
import type { ContentNotes, RequestTrace } from '../ports/request-trace.ts';
import { AnswerContent } from '../telemetry/answer-content.ts';
import type { Conventions } from '../telemetry/conventions.ts';
import type { SpanSettings } from '../telemetry/request-spans.ts';
import type { TraceSink } from '../telemetry/request-traces.ts';
import type { JsonObject } from '../util/json.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import { Slots } from '../waiting/slots.ts';
import { DestinationQueue, type QueueLimits, type QueuePauses, usualPauses } from './destination-queue.ts';
import { configTexts, type DestinationType, destinationTypes } from './destination-types.ts';
import { passesRules } from './filter-rules.ts';
import type * as payloads from './payload.ts';
import type * as sending from './send-batch.ts';
import type { Sender } from './send-batch.ts';

/** What the operator decides. */
export interface DestinationRules extends QueueLimits {
  readonly privateHosts: readonly string[];
}

/** What destinations need. */
export interface DestinationParts {
  readonly store: DestinationStore;
  readonly secrets: {
    seal: DestinationDesk['seal'];
    open(owner: Pick<Destination, 'id' | 'accountId'>, sealed?: SealedSecret): Promise<JsonObject>;
  };
  readonly scanner: TextScanner;
  readonly sender: Sender;
  readonly rules: () => DestinationRules;
  readonly conventions: Conventions;
  readonly version: string;
  readonly now: () => number;
  /** Called where the state of one differs from what it was, and first after a start. */
  readonly onState?: ((destination: Destination, health: DestinationHealth) => void) | undefined;
  readonly onItems: (type: string, result: 'sent' | 'dropped', count: number) => void;
  readonly onFailure: (failure: unknown, destinationId?: string) => void;
  readonly pauses?: Partial<QueuePauses> | undefined;
  /** Milliseconds between two looks at what is stored. */
  readonly lookPause?: number | undefined;
}

/** A destination that gets traces. */
interface Live {
  readonly destination: Destination;
  readonly kind: DestinationType;
  readonly settings: SpanSettings;
  readonly queue: DestinationQueue;
}

/** Destinations that send at the same time, and batches that wait for that: as many as there are destinations. */
const sendingAtOnce = 8;
/** Requests whose rules are looked at at the same time. */
const mostJudged = 1_000;
/** Milliseconds between two notes of health that say the same. */
const healthPause = 30_000;
/** Milliseconds that a stopping server waits for what is sent. */
const longestFlush = 5_000;
const usualLook = 5_000;

/**
 * Sends the traces of workspaces where their owners want them (docs/spec/destinations.md). Nothing is loaded, noted or
 * queued while there is no destination that gets any.
 */
export class Destinations implements TraceSink, DestinationDesk {
  readonly #parts: DestinationParts;
  readonly #looking: RecurringTask;
  readonly #slots = new Slots(sendingAtOnce, Number.MAX_SAFE_INTEGER);
  readonly #total = { bytes: 0 };
  readonly #noted = new Map<string, DestinationHealth>();
  #byWorkspace: ReadonlyMap<string, readonly Live[]> = new Map();
  #version = '';
  #judged = 0;
  #look: Promise<void> | undefined;
  #isOutdated = false;
  #modules: Modules | undefined;
  #isClosed = false;

  constructor(parts: DestinationParts) {
    this.#parts = parts;
    this.#looking = new RecurringTask(
      () => this.look(),
      () => parts.lookPause ?? usualLook,
    );
  }

  /** What is stored may have changed: it is read again soon. */
  outdated(): void {
    void this.look();
  }

  /** Reads what is stored, where it differs from what is known. Never rejects. */
  look(): Promise<void> {
    if (this.#look !== undefined) {
      this.#isOutdated = true;
      return this.#look;
    }
    this.#look = this.#readStored()
      .catch((failure: unknown) => this.#parts.onFailure(failure))
      .finally(() => {
        this.#look = undefined;
        if (!this.#isOutdated) return;
        this.#isOutdated = false;
        void this.look();
      });
    return this.#look;
  }

  async known(): Promise<void> {
    // A look that runs may have begun before.
    await this.look();
    await this.look();
  }

  wants(): boolean {
    return this.#byWorkspace.size > 0;
  }

  content({ workspaceId = '' }: RequestTrace): ContentNotes | undefined {
    const live = this.#byWorkspace.get(workspaceId) ?? [];
    const isWanted = live.some(({ destination }) => !destination.privacyMode || comparesContent(destination));
    return isWanted ? new AnswerContent() : undefined;
  }

  over(trace: RequestTrace): void {
    const { workspaceId = '', request } = trace;
    // Only the operator gets what is no request to a model.
    if (request === undefined) return;
    const live = this.#byWorkspace.get(workspaceId);
    if (live === undefined) return;
    for (const one of live) {
      const { keyHashes, id, samplingRate } = one.destination;
      if (keyHashes !== null && !keyHashes.includes(trace.key?.hash ?? '')) continue;
      if (!isSampled(id, samplingRate, request.sessionId ?? trace.exchange.id)) continue;
      this.#judge(trace, one);
    }
  }

  async test(destination: OpenDestination): Promise<DestinationTestFailure | undefined> {
    const { payload, sending } = await this.#load();
    const form = destinationTypes[destination.type]?.form ?? 'otlp-json';
    const batch = {
      id: `msg_${randomUUID().replaceAll('-', '')}`,
      body: payload.emptyBody(form),
      isTest: true,
    } as const;
    const signal = new AbortController().signal;
    const sent = await sending.sendBatch(destination, batch, this.#parts.sender, signal);
    if (sent.isTaken) return undefined;
    const { reason, status } = sent;
    return { reason, ...(status !== undefined && { status }) };
  }

  open(destination: Pick<Destination, 'id' | 'accountId'>): Promise<JsonObject> {
    return this.#parts.secrets.open(destination);
  }

  seal<Result>(
    config: JsonObject,
    owner: Pick<Destination, 'id' | 'accountId'>,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result> {
    return this.#parts.secrets.seal(config, owner, store);
  }

  /** Sends what waits, for some seconds at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#looking.close();
    const over = AbortSignal.timeout(longestFlush);
    const queues = [...this.#byWorkspace.values()].flat().map(({ queue }) => queue);
    this.#byWorkspace = new Map();
    await Promise.all(queues.map((queue) => queue.close(over)));
  }

  #judge(trace: RequestTrace, live: Live): void {
    const { filterRules, accountId, type } = live.destination;
    if (filterRules === null || !filterRules.enabled || filterRules.groups.length === 0) {
      this.#add(trace, live);
      return;
    }
    const { onItems, onFailure, scanner } = this.#parts;
    if (this.#judged >= mostJudged) {
      onItems(type, 'dropped', 1);
      return;
    }
    this.#judged += 1;
    const { payload } = this.#modules ?? {};
    const values = () => payload?.fieldValues(trace, contentOf(trace)) ?? {};
    passesRules(filterRules, values, scanner, accountId)
      .then((passes) => {
        if (passes) this.#add(trace, live);
      })
      .catch((failure: unknown) => {
        onItems(type, 'dropped', 1);
        onFailure(failure, live.destination.id);
      })
      .finally(() => {
        this.#judged -= 1;
      });
  }

  #add(trace: RequestTrace, { destination, kind, settings, queue }: Live): void {
    const { payload, serializers } = this.#modules ?? {};
    if (payload === undefined || serializers === undefined) return;
    const view = {
      cost: destination.sendsCost,
      identity: destination.sendsIdentity,
      context: destination.sendsContext,
      content: destination.privacyMode ? undefined : contentOf(trace),
      aliases: kind.aliases ?? {},
    };
    try {
      queue.add(payload.payloadOf(trace, kind.form, { ...settings, view }, serializers));
    } catch (failure) {
      this.#parts.onItems(destination.type, 'dropped', 1);
      this.#parts.onFailure(failure, destination.id);
    }
  }

  async #readStored(): Promise<void> {
    const { store } = this.#parts;
    const version = await store.activeVersion();
    if (version === this.#version || this.#isClosed) return;
    const active = version === '' ? [] : await store.active();
    if (active.length > 0) await this.#load();
    const known = new Map(
      [...this.#byWorkspace.values()].flat().map((live) => [live.destination.id, live] as const),
    );
    const next = new Map<string, Live[]>();
    for (const one of active) {
      const live = await this.#bringUp(one, known.get(one.destination.id));
      if (live === undefined) continue;
      known.delete(one.destination.id);
      const { workspaceId } = one.destination;
      next.set(workspaceId, [...(next.get(workspaceId) ?? []), live]);
    }
    this.#byWorkspace = next;
    this.#version = version;
    for (const [id, { queue }] of known) {
      queue.drop();
      this.#noted.delete(id);
    }
  }

  /** One that is stored, as it is sent to. @param known As it was before. */
  async #bringUp(
    { destination, sealed }: ActiveDestination,
    known: Live | undefined,
  ): Promise<Live | undefined> {
    if (known?.destination.updatedAt === destination.updatedAt) return known;
    const kind = destinationTypes[destination.type];
    if (kind === undefined) return undefined;
    let open: OpenDestination;
    try {
      const config = await this.#parts.secrets.open(destination, sealed);
      open = { type: destination.type, config };
    } catch (failure) {
      this.#parts.onFailure(failure, destination.id);
      return undefined;
    }
    if (known !== undefined) known.queue.open = open;
    const queue = known?.queue ?? this.#createQueue(destination, open, kind);
    return { destination, kind, settings: this.#settingsOf(kind, open), queue };
  }

  #createQueue(destination: Destination, open: OpenDestination, kind: DestinationType): DestinationQueue {
    const { rules, now, onItems, sender, pauses } = this.#parts;
    const { payload, sending } = this.#modules ?? {};
    if (payload === undefined || sending === undefined) throw new Error('Nothing is loaded that sends.');
    return new DestinationQueue(open, {
      limits: rules,
      pauses: { ...usualPauses, ...pauses },
      slots: this.#slots,
      total: this.#total,
      join: (all) => payload.bodyOf(kind.form, all),
      send: (to, batch, signal) => sending.sendBatch(to, batch, sender, signal),
      now,
      onItems: (result, count) => onItems(destination.type, result, count),
      onHealth: (health) => this.#noteHealth(destination, health),
    });
  }

  #settingsOf(kind: DestinationType, { config }: OpenDestination): SpanSettings {
    const { conventions, version } = this.#parts;
    const { serializers } = this.#modules ?? {};
    if (serializers === undefined) throw new Error('Nothing is loaded that writes spans.');
    const own = kind.resource?.(configTexts(kind, config));
    const resource = serializers.resource({ 'service.name': 'headgate', 'service.version': version, ...own });
    return { resource, conventions: kind.isVendor ? '1.41' : conventions, version };
  }

  #noteHealth(destination: Destination, health: DestinationHealth): void {
    const { store, onFailure, onState } = this.#parts;
    const { id } = destination;
    const last = this.#noted.get(id);
    if (last?.state !== health.state) onState?.(destination, health);
    const isSame = last?.state === health.state && last.status === health.status;
    if (isSame && health.at - (last?.at ?? 0) < healthPause) return;
    this.#noted.set(id, health);
    store.noteHealth(id, health).catch((failure: unknown) => onFailure(failure, id));
  }

  async #load(): Promise<Modules> {
    if (this.#modules !== undefined) return this.#modules;
    const [payload, sending] = await Promise.all([import('./payload.ts'), import('./send-batch.ts')]);
    this.#modules ??= { payload, sending, serializers: await payload.loadSerializers() };
    return this.#modules;
  }
}

/** What is loaded once there is a destination. */
interface Modules {
  readonly payload: typeof payloads;
  readonly sending: typeof sending;
  readonly serializers: payloads.Serializers;
}

/** What the guard that sends allows beside the public internet. */
export function destinationEgress({ privateHosts }: DestinationRules): EgressSettings {
  return { allow: privateHosts, deny: [], maxBody: 4096 };
}

/** What was said in a request, where that may be known. */
function contentOf({ content }: RequestTrace): AnswerContent | undefined {
  return content instanceof AnswerContent && content.isAllowed ? content : undefined;
}

function comparesContent({ filterRules }: Destination): boolean {
  const rules = filterRules?.groups.flatMap((group) => group.rules) ?? [];
  return rules.some(({ field }) => field === 'input' || field === 'output');
}

/** Whether a session is among those that a destination gets: always the same for both. */
export function isSampled(destinationId: string, rate: number, session: string): boolean {
  if (rate >= 1) return true;
  const digits = hash('sha256', `${destinationId} ${session}`).slice(0, 13);
  return Number.parseInt(digits, 16) / 16 ** 13 < rate;
}
