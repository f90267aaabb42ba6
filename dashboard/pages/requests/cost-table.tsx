import { count, exactPico, exactUsd, perMillion, usd } from '../../text/format.ts';
import type { Detailed } from './detail.tsx';

const items: Readonly<Record<string, string>> = {
  input: 'Input',
  input_pictures: 'Pictures in the input',
  cache_read: 'Input read from a cache',
  cache_write: 'Input written to a cache',
  cache_write_long: 'Input written to a cache for an hour',
  audio_input: 'Audio input',
  audio_cache_read: 'Audio read from a cache',
  output: 'Output',
  output_pictures: 'Pictures in the output',
  audio_output: 'Audio output',
  reasoning: 'Reasoning',
  pictures: 'Pictures',
  made_pictures: 'Pictures made',
  searches: 'Searches',
  request: 'Request',
};

/** Priced by the piece rather than by the million. */
const pieces = new Set(['pictures', 'made_pictures', 'searches', 'request']);

/** What a request cost, line by line: the lines add up to the charge. */
export function CostTable({ detail }: { readonly detail: Detailed }) {
  const { cost, row } = detail;
  if (row.unpriced)
    return <p class="note warn">The endpoint has no known price, so the cost is unknown rather than zero.</p>;
  if (row.attempts === 0 || (row.outcome === 'failed' && row.cost_nano === '0'))
    return <Charged detail={detail} />;
  if (cost.lines === null) {
    return (
      <div class="stack">
        <Charged detail={detail} />
        <p class="hint">
          Prices have changed since, so the lines cannot be shown any more. The amount is the one that was
          charged.
        </p>
      </div>
    );
  }
  return (
    <div class="stack">
      <div class="table-wrap" tabIndex={0} role="region" aria-label="Cost, line by line">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" class="end">
                Count
              </th>
              <th scope="col" class="end">
                Price
              </th>
              <th scope="col" class="end">
                USD
              </th>
            </tr>
          </thead>
          <tbody>
            {cost.lines.map((line) => (
              <tr key={line.item}>
                <td>{items[line.item] ?? line.item.replaceAll('_', ' ')}</td>
                <td class="end">{count(line.count)}</td>
                <td class="end">
                  {pieces.has(line.item)
                    ? exactPico(line.unit_price_pico)
                    : `${perMillion(line.unit_price_pico)} /M`}
                </td>
                <td class="end">{exactPico(line.amount_pico)}</td>
              </tr>
            ))}
            <tr class="sum">
              <td>Sum, rounded to nano-USD</td>
              <td />
              <td />
              <td class="end">{exactUsd(cost.list_cost_nano)}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <Charged detail={detail} />
    </div>
  );
}

function Charged({ detail }: { readonly detail: Detailed }) {
  const { cost, row } = detail;
  const discount = cost.cache_discount_nano;
  return (
    <dl class="facts">
      <dt>Charged</dt>
      <dd>
        <strong class="number">{exactUsd(cost.charged_nano)}</strong>
        {cost.insured && ' because there was no result'}
        {row.outcome === 'refused' && ' because no endpoint was asked'}
        {row.own_credential &&
          ' because an own credential was used; the sum above is what the provider charges you'}
      </dd>
      {discount !== null && discount !== '0' && (
        <>
          <dt>Cache</dt>
          <dd>
            {discount.startsWith('-')
              ? `writing to it cost ${usd(discount.slice(1))} more than plain input`
              : `saved ${usd(discount)}`}
          </dd>
        </>
      )}
      {row.estimated && (
        <>
          <dt>Counts</dt>
          <dd class="warn">estimated, because the provider did not report all of them</dd>
        </>
      )}
    </dl>
  );
}
