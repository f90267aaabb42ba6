import { randomUUID } from 'node:crypto';
import type { ProcessMessages } from '../../ports/process-messages.ts';
import { isObject } from '../../util/json.ts';
import { LiveChanges } from './live-changes.ts';
import { filterName, type LiveFilter } from './live-rows.ts';
import { RemoteRows } from './remote-rows.ts';
import type { RunningCalls } from './running-calls.ts';

/** Milliseconds for which another process may take to say that it runs a request. */
const patience = 1_000;
/** Requests that are looked for at once. */
const mostQuestions = 100;

/** A request that runs in another process. */
export interface RemoteCall {
  readonly accountId: string;
  readonly workspaceId: string | null;
  cancel(): void;
}

/** Rows of other processes, as long as they are wanted. */
export interface Watched {
  readonly rows: RemoteRows;
  end(): void;
}

/**
 * What processes tell each other of running requests (docs/spec/dashboard.md#live): rows while somebody watches, and who is to end
 * one. While nobody watches anywhere, nothing is sent.
 */
export class LivePeers {
  readonly #calls: RunningCalls;
  readonly #messages: ProcessMessages;
  readonly #published: PublishedFeeds;
  readonly #watched = new Map<string, RemoteRows>();
  readonly #questions = new Map<string, (found: RemoteCall) => void>();

  /** @param now Unix milliseconds. */
  constructor(calls: RunningCalls, messages: ProcessMessages, now: () => number) {
    this.#calls = calls;
    this.#messages = messages;
    this.#published = new PublishedFeeds(calls, messages, now);
    messages.listen((message) => {
      if (isObject(message)) this.#hear(message);
    });
  }

  /** Filters that are watched elsewhere. */
  get published(): number {
    return this.#published.size;
  }

  /** Asks other processes for the rows of a filter, which nobody here may watch yet. */
  watch(filter: LiveFilter): Watched {
    const name = filterName(filter);
    const rows = new RemoteRows();
    this.#watched.set(name, rows);
    const message = { kind: 'watch', from: this.#messages.address, filter };
    this.#messages.broadcast({ ...message, needsAll: true });
    const renewal = setInterval(() => this.#messages.broadcast(message), lease / 3).unref();
    return {
      rows,
      end: () => {
        clearInterval(renewal);
        if (this.#watched.get(name) === rows) this.#watched.delete(name);
        this.#messages.broadcast({ ...message, kind: 'unwatch' });
      },
    };
  }

  /** Looks for a request in other processes; undefined where none of them answers in time. */
  find(id: string): Promise<RemoteCall | undefined> {
    if (this.#questions.size >= mostQuestions) return Promise.resolve(undefined);
    const question = randomUUID();
    return new Promise((resolve) => {
      const answer = (found: RemoteCall | undefined) => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve(found);
      };
      const timer = setTimeout(() => answer(undefined), patience);
      this.#questions.set(question, answer);
      this.#messages.broadcast({ kind: 'find', from: this.#messages.address, id, question });
    });
  }

  close(): void {
    this.#published.close();
  }

  #hear(message: Readonly<Record<string, unknown>>): void {
    const { kind, from, id } = message;
    if (kind === 'cancel') this.#ownCall(id)?.cancel();
    if (typeof from !== 'string') return;
    if (kind === 'found') this.#answer(from, message);
    if (kind === 'find') this.#tell(from, message);
    const filter = readFilter(message.filter);
    if (filter === undefined) return;
    if (kind === 'watch') this.#published.watch(from, filter, message.needsAll === true);
    if (kind === 'unwatch') this.#published.unwatch(from, filter);
    if (kind === 'rows') this.#hearRows(from, filter, message);
  }

  #hearRows(from: string, filter: LiveFilter, message: Readonly<Record<string, unknown>>): void {
    const { number, snapshot, events } = message;
    const rows = this.#watched.get(filterName(filter));
    if (rows === undefined || typeof number !== 'number') return;
    if (rows.hear(from, number, { snapshot, events }, performance.now())) return;
    this.#messages.send(from, { kind: 'watch', from: this.#messages.address, filter, needsAll: true });
  }

  #ownCall(id: unknown) {
    return this.#calls.running.find(({ facts }) => facts.generationId === id);
  }

  /** Says that a request runs here, where it does. */
  #tell(asker: string, { id, question }: Readonly<Record<string, unknown>>): void {
    const found = this.#ownCall(id);
    if (found === undefined) return;
    const { account, key } = found.facts.caller;
    const owner = { accountId: account.id, workspaceId: key.workspaceId };
    this.#messages.send(asker, { kind: 'found', from: this.#messages.address, id, question, ...owner });
  }

  #answer(from: string, { id, question, accountId, workspaceId }: Readonly<Record<string, unknown>>): void {
    if (typeof question !== 'string' || typeof accountId !== 'string') return;
    this.#questions.get(question)?.({
      accountId,
      workspaceId: typeof workspaceId === 'string' ? workspaceId : null,
      cancel: () => this.#messages.send(from, { kind: 'cancel', id }),
    });
  }
}

const filterMembers: readonly (keyof LiveFilter)[] = [
  'accountId',
  'keyHash',
  'workspaceId',
  'model',
  'provider',
];

/** The filter of a message. One that this version does not know whole is none: without a member it would let more pass. */
function readFilter(value: unknown): LiveFilter | undefined {
  if (!isObject(value)) return undefined;
  const members = Object.entries(value);
  const isKnown = members.every(
    ([name, member]) => typeof member === 'string' && filterMembers.some((known) => known === name),
  );
  return isKnown ? Object.fromEntries(members) : undefined;
}

/** Milliseconds for which another process gets messages after it asked, and between two of them. */
const lease = 30_000;
const messageEvery = 250;
/** The most filters that are published to other processes: of all accounts, of one account, of one key. */
const mostPublished = 40;
const mostOfAccount = 8;
const mostOfKey = 4;

interface Watcher {
  /** By a clock that only goes on. */
  until: number;
  needsAll: boolean;
}

interface Published {
  readonly filter: LiveFilter;
  readonly changes: LiveChanges;
  /** By their addresses. */
  readonly watchers: Map<string, Watcher>;
  readonly timer: NodeJS.Timeout;
  number: number;
}

/** Publishes what this process runs to processes with viewers, once for each filter. */
class PublishedFeeds {
  readonly #calls: RunningCalls;
  readonly #messages: ProcessMessages;
  readonly #now: () => number;
  readonly #published = new Map<string, Published>();

  /** @param now Unix milliseconds. */
  constructor(calls: RunningCalls, messages: ProcessMessages, now: () => number) {
    this.#calls = calls;
    this.#messages = messages;
    this.#now = now;
  }

  /** How many filters have viewers at other processes. */
  get size(): number {
    return this.#published.size;
  }

  /** @param needsAll Whether the process knows nothing yet. */
  watch(address: string, filter: LiveFilter, needsAll: boolean): void {
    const name = filterName(filter);
    const published = this.#published.get(name) ?? this.#open(name, filter);
    if (published === undefined) return;
    const known = published.watchers.get(address);
    const until = performance.now() + lease;
    published.watchers.set(address, { until, needsAll: needsAll || known?.needsAll !== false });
  }

  unwatch(address: string, filter: LiveFilter): void {
    const name = filterName(filter);
    const published = this.#published.get(name);
    if (published?.watchers.delete(address) && published.watchers.size === 0) this.#close(name, published);
  }

  close(): void {
    for (const [name, published] of this.#published) this.#close(name, published);
  }

  #open(name: string, filter: LiveFilter): Published | undefined {
    if (!this.#hasRoom(filter)) return undefined;
    const published: Published = {
      filter,
      changes: new LiveChanges(this.#calls, filter, this.#now()),
      watchers: new Map(),
      timer: setInterval(() => this.#send(name, filter, published), messageEvery).unref(),
      number: 0,
    };
    this.#published.set(name, published);
    return published;
  }

  /** Only operators have filters of no account: those do not wait for room that accounts have taken. */
  #hasRoom({ accountId, keyHash }: LiveFilter): boolean {
    const filters = [...this.#published.values()].map(({ filter }) => filter);
    const ofAccount = filters.filter((one) => one.accountId === accountId);
    const ofKey = ofAccount.filter((one) => keyHash !== undefined && one.keyHash === keyHash);
    if (ofAccount.length >= mostOfAccount || ofKey.length >= mostOfKey) return false;
    return accountId === undefined || filters.filter((one) => one.accountId).length < mostPublished;
  }

  #send(name: string, filter: LiveFilter, published: Published): void {
    const { changes, watchers } = published;
    for (const [address, { until }] of watchers) if (until < performance.now()) watchers.delete(address);
    if (watchers.size === 0) {
      this.#close(name, published);
      return;
    }
    const now = this.#now();
    const events = changes.take(now);
    if (events.length > 0) published.number += 1;
    const message = { kind: 'rows', from: this.#messages.address, filter, number: published.number };
    for (const [address, watcher] of watchers) {
      if (watcher.needsAll)
        this.#messages.send(address, { ...message, snapshot: changes.snapshot(now).data });
      else if (events.length > 0) this.#messages.send(address, { ...message, events });
      watcher.needsAll = false;
    }
  }

  #close(name: string, { changes, timer }: Published): void {
    clearInterval(timer);
    changes.stop();
    this.#published.delete(name);
  }
}
