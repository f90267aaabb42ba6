import type { Endpoint, Model } from '../../src/core/catalogue.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { modelOf, providerOf } from './catalogue.ts';

/** An endpoint: USD per million tokens, and its declared speed. */
export interface EndpointRow {
  readonly usd: number;
  readonly tps?: number;
  readonly ttft?: number;
  readonly tier?: Endpoint['tier'];
  readonly fields?: Partial<Endpoint>;
}

/** A model from rows by tag; the provider is the tag's first part. */
export function modelFrom(id: string, rows: Readonly<Record<string, EndpointRow>>): Model {
  const endpoints = Object.entries(rows).map(
    ([tag, { usd, tps, ttft = 500, tier = 'default', fields }]): Endpoint => {
      const price = { prompt: parsePricePerMillion(usd), completion: parsePricePerMillion(usd) };
      const provider = providerOf({ slug: tag.split('/')[0] ?? tag });
      const prior = tps === undefined ? undefined : { tps, ttftMs: ttft };
      return { provider, upstreamModel: 'm', tag, tier, price, prior, ...fields };
    },
  );
  return { ...modelOf(id, []), endpoints };
}
