import type { Endpoint, Price } from '../../core/catalogue.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import { type EndpointFigures, endpointFigures } from '../../pipeline/endpoint-figures.ts';
import type { EndpointStatistics } from '../../ports/endpoint-statistics.ts';
import type { ListedModel } from './describe-model.ts';

/** What is measured of models while one list is made. A model is as good as the best of its endpoints. */
export class ModelFacts {
  /** Unix milliseconds. */
  readonly now: number;
  readonly #statistics: EndpointStatistics;
  readonly #figures = new Map<Endpoint, EndpointFigures>();

  constructor(statistics: EndpointStatistics, now: number) {
    this.#statistics = statistics;
    this.now = now;
  }

  figures(endpoint: Endpoint): EndpointFigures {
    const figures = this.#figures.get(endpoint) ?? endpointFigures(endpoint, this.#statistics);
    this.#figures.set(endpoint, figures);
    return figures;
  }

  /** What the model is shown at: the price its first endpoint has by default now. */
  price({ endpoints: [lead] }: ListedModel): Price | undefined {
    return lead?.price && priceInEffect(lead.price, 0, this.now);
  }

  /** Tokens a second at the median; undefined where nothing was measured. */
  throughput(row: ListedModel): number | undefined {
    return this.#best(row, ({ throughput_last_30m: speed }) => speed?.p50, Math.max);
  }

  /** Milliseconds to the first token at the median. */
  latency(row: ListedModel): number | undefined {
    return this.#best(row, ({ latency_last_30m: speed }) => speed?.p50, Math.min);
  }

  /** The fraction of answers whose tool calls were all valid. */
  toolSuccessRate(row: ListedModel): number | undefined {
    return this.#best(row, ({ toolSuccessRate }) => toolSuccessRate, Math.max);
  }

  #best(
    { endpoints }: ListedModel,
    read: (figures: EndpointFigures) => number | undefined,
    better: (...values: number[]) => number,
  ): number | undefined {
    const values = endpoints.map((endpoint) => read(this.figures(endpoint)));
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : better(...known);
  }
}
