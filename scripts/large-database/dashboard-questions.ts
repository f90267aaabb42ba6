import type { Storage } from '../../src/ports/storage.ts';
import type { CallPage, CallQuery, UsageFilters } from '../../src/ports/usage.ts';
import { dayLength } from '../../src/util/utc-windows.ts';
import type { Question } from './questions.ts';

/** Rows of one page of the dashboard. */
const pageLength = 50;
/** Pages that are read before the one that is measured. */
const pagesBefore = 999;
const quarter = 900_000;

/** What the pages of the dashboard ask about one account, through the stores. @param account Of the number of a sample. */
export function dashboardQuestions(account: (sample: number) => string): readonly Question[] {
  const lists: readonly (readonly [string, Partial<CallQuery>, UsageFilters])[] = [
    ['newest', {}, {}],
    ['of a model that few use', {}, { model: 'nobody/*' }],
    ['with 100,000 tokens, which none has', { calls: { minTokens: 100_000 } }, {}],
  ];
  return [
    ...[1, 30, 90].flatMap((days) => [
      {
        name: `sums of an account, ${days} ${days === 1 ? 'day' : 'days'}`,
        ask: ({ usage }: Storage, sample: number) =>
          usage.totals({ range: last(days), filters: { accountId: account(sample) } }, 1),
      },
      {
        name: `steps of an account by model, ${days} ${days === 1 ? 'day' : 'days'}`,
        ask: async ({ usage }: Storage, sample: number) => {
          const grouping = {
            range: last(days),
            filters: { accountId: account(sample) },
            dimension: 'model',
          } as const;
          const groups = await usage.totals(grouping, 6);
          return usage.steps(
            grouping,
            days === 1 ? 60 : 1440,
            groups.map(({ value }) => value),
          );
        },
      },
    ]),
    ...lists.map(([words, query, filters]) => ({
      name: `requests of an account in a year, ${words}`,
      ask: ({ usage }: Storage, sample: number) =>
        usage.calls({
          range: last(365),
          calls: {},
          limit: pageLength,
          ...query,
          filters: { ...filters, accountId: account(sample) },
        }),
    })),
    {
      name: `${pagesBefore + 1} pages of requests of the largest account, one after the other`,
      times: { cold: 1, warm: 1 },
      ask: async ({ usage }) => {
        let page: CallPage | undefined;
        for (let number = 0; number <= pagesBefore; number += 1) {
          if (page !== undefined && page.next === undefined) return;
          page = await usage.calls({
            range: last(365),
            filters: { accountId: account(0) },
            calls: {},
            before: page?.next,
            limit: pageLength,
          });
        }
      },
    },
  ];
}

/** The last days until now, moved outwards to quarters of an hour. */
function last(days: number) {
  const to = Math.ceil(Date.now() / quarter) * quarter;
  return { from: to - days * dayLength, to };
}
