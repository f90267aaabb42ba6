import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { askModels, type ListedModel } from '../catalogue/ask-models.ts';
import { withDiscovered } from '../catalogue/discovered-models.ts';
import type { Catalogue, Provider } from '../core/catalogue.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** Milliseconds between two looks, and the least between two that requests cause. */
const usualPause = 60_000;
const leastPause = 5_000;
/** How long the start waits for lists. A local server answers in less. */
const startPatience = 500;

/** What discovery reads, and where it logs. */
export interface DiscoveryParts {
  /** The configured catalogue as it is now. */
  readonly catalogue: () => Catalogue;
  readonly log: Logger;
  /** Milliseconds between two looks, and between two that requests cause; for tests. */
  readonly pauses?: { readonly usual: number; readonly least: number };
}

/**
 * Keeps the models of providers that list their own (docs/spec/catalogue.md#discovered-models). A list that cannot be
 * read leaves the one before.
 */
export class ModelDiscovery {
  readonly #parts: DiscoveryParts;
  readonly #task: RecurringTask;
  readonly #leastPause: number;
  readonly #failures = new Map<string, string>();
  #lists: ReadonlyMap<string, readonly ListedModel[]> = new Map();
  #latest: { readonly source: Catalogue; readonly lists: unknown; readonly catalogue: Catalogue } | undefined;
  #running: Promise<void> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
    this.#leastPause = parts.pauses?.least ?? leastPause;
    this.#task = new RecurringTask(
      () => this.refresh(),
      () => parts.pauses?.usual ?? usualPause,
    );
  }

  /** The configured catalogue with what was discovered; the same object until one of both changes. */
  get catalogue(): Catalogue {
    const source = this.#parts.catalogue();
    if (this.#lists.size === 0) return source;
    if (this.#latest?.source !== source || this.#latest.lists !== this.#lists) {
      this.#latest = { source, lists: this.#lists, catalogue: withDiscovered(source, this.#lists) };
    }
    return this.#latest.catalogue;
  }

  /** Asks every provider that lists its models; joins a look that is under way. Never rejects. */
  refresh(): Promise<void> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Looks again soon: a request named a model that is not known here, or not any more there. */
  suspect(): void {
    if (performance.now() - this.#startedAt < this.#leastPause || this.#discovering().length === 0) return;
    void this.refresh();
  }

  /** Looks for the first time; waits only shortly, because a server that is away must not delay the start. */
  async firstLook(): Promise<void> {
    if (this.#discovering().length === 0) return;
    await Promise.race([this.refresh(), sleep(startPatience, undefined, { ref: false })]);
  }

  /** Looks again, because the configuration has changed. */
  rulesChanged(): void {
    if (this.#discovering().length > 0 || this.#lists.size > 0) void this.refresh();
  }

  /** Stops for good. */
  close(): void {
    this.#task.close();
  }

  #discovering(): readonly Provider[] {
    return [...this.#parts.catalogue().providers.values()].filter(
      ({ discovers, baseUrl }) => discovers === true && baseUrl !== undefined,
    );
  }

  async #look(): Promise<void> {
    const providers = this.#discovering();
    if (providers.length === 0 && this.#lists.size === 0) return;
    this.#startedAt = performance.now();
    const lists = await Promise.all(
      providers.map(async (provider) => [provider.slug, await this.#listOf(provider)] as const),
    );
    const known = new Map(lists.filter(([, list]) => list.length > 0));
    // The same lists make the same catalogue, on which plans and indices are kept.
    if (!isDeepStrictEqual(known, this.#lists)) this.#lists = known;
  }

  async #listOf(provider: Provider): Promise<readonly ListedModel[]> {
    const { slug } = provider;
    const list = await askModels(provider);
    if ('failure' in list) {
      const isNew = this.#failures.get(slug) !== list.failure;
      this.#failures.set(slug, list.failure);
      if (isNew) this.#parts.log.warn({ provider: slug, reason: list.failure }, unlisted);
      return this.#lists.get(slug) ?? [];
    }
    this.#failures.delete(slug);
    if (list.models.length !== this.#lists.get(slug)?.length) {
      this.#parts.log.info({ provider: slug, models: list.models.length }, 'models discovered');
    }
    return list.models;
  }
}

const unlisted = 'the models of a provider could not be listed; the ones known before stay';
