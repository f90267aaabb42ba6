import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Emulation, Feature, FeatureSupport, Support } from '../core/features.ts';
import type { CanonicalChat, Item, Tool } from '../core/request.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import { effectiveSupport, reaches } from './effective-support.ts';
import type { FeaturesUsed } from './features-used.ts';
import type { Alteration, Restorer } from './translation.ts';

/** Where a request is about to go. */
export interface Destination {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** How the endpoint's dialect handles each feature. */
  readonly support: FeatureSupport;
}

/** A request while it is rewritten for one endpoint, with the alterations so far. */
export class RequestRewriter {
  request: CanonicalChat;
  readonly destination: Destination;
  readonly alterations: Alteration[] = [];
  /** What plugins did for this endpoint. */
  readonly entries: PipelineEntry[] = [];
  /** In the order of the rewrites; answers pass them in reverse. */
  readonly restorers: Restorer[] = [];
  readonly #used: FeaturesUsed;

  constructor(request: CanonicalChat, used: FeaturesUsed, destination: Destination) {
    this.request = request;
    this.destination = destination;
    this.#used = used;
  }

  /** Whether the caller's request uses a feature. */
  uses(feature: Feature): boolean {
    return this.#used.has(feature);
  }

  /** The features the caller's request uses. */
  used(): Iterable<Feature> {
    return this.#used.keys();
  }

  supportOf(feature: Feature): Support {
    return effectiveSupport(feature, this.destination.support, this.destination.endpoint);
  }

  /** Whether a feature reaches the endpoint, possibly emulated. */
  reaches(feature: Feature): boolean {
    return reaches(this.supportOf(feature));
  }

  /** How to emulate a feature; undefined when the request does not use it or the endpoint has it. */
  emulationOf(feature: Feature): Emulation | undefined {
    if (!this.uses(feature)) return undefined;
    const support = this.supportOf(feature);
    return typeof support === 'object' && 'emulated' in support ? support.emulated : undefined;
  }

  /** Why a feature is left out; undefined when the request does not use it or it is kept. */
  dropReasonOf(feature: Feature): string | undefined {
    if (!this.uses(feature)) return undefined;
    const support = this.supportOf(feature);
    return typeof support === 'object' && 'dropped' in support ? support.dropped : undefined;
  }

  /** Records the alteration of a feature, under the field that uses it. */
  note(feature: Feature, action: Alteration['action'], how: string): void {
    this.noteField(this.#used.get(feature) ?? feature, action, how);
  }

  /** Records the alteration of a field. */
  noteField(field: string, action: Alteration['action'], how: string): void {
    this.alterations.push({ field, action, how });
  }

  change(fields: Partial<CanonicalChat>): void {
    this.request = { ...this.request, ...fields };
  }

  /** Replaces each tool, including those added later in the conversation, by the result of `rewrite`. */
  mapTools(rewrite: (tool: Tool) => Tool | readonly Tool[]): void {
    const { tools, items } = this.request;
    this.change({ tools: tools.flatMap(rewrite) });
    if (!items.some((item) => item.kind === 'additional_tools')) return;
    this.mapItems((item) =>
      item.kind === 'additional_tools' ? { ...item, tools: item.tools.flatMap(rewrite) } : item,
    );
  }

  /** Replaces each item by the result of `rewrite`; an empty result removes it. */
  mapItems(rewrite: (item: Item, index: number) => Item | readonly Item[]): void {
    this.change({ items: this.request.items.flatMap(rewrite) });
  }
}
