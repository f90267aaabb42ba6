import { createChecker } from '../../../schema/checker.ts';
import { asList, asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import {
  anyObject,
  anyOf,
  byType,
  choice,
  flag,
  handled,
  integer,
  list,
  number,
  optional,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { hostedTool } from './hosted-tool.ts';

const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;

const ComparisonSchema = Type.Object({
  key: text({ minLength: 1 }),
  type: choice(...comparisons),
  value: byType(text(), number(), flag(), list(byType(text(), number()))),
});
const CompoundSchema = Type.Object({ type: choice('and', 'or'), filters: list(anyObject()) });

const checkComparison = createChecker(ComparisonSchema);

type FilterChecker = (filter: unknown, path: string) => void;

const filters: KindTable<FilterChecker> = {
  key: 'type',
  rows: new Map<string, FilterChecker>([
    ...comparisons.map((word): [string, FilterChecker] => [word, checkComparison]),
    ['and', checkCompound],
    ['or', checkCompound],
  ]),
};

/** `file_search`: a search in a provider's stores of files; filters may be nested. */
export const fileSearchTool = hostedTool(
  'file_search',
  'file_search',
  {
    vector_store_ids: list(text({ minLength: 1 })),
    max_num_results: optional(integer({ minimum: 1 })),
    filters: Type.Optional(handled(anyOf(ComparisonSchema, CompoundSchema, Type.Null()))),
    ranking_options: optional(
      Type.Object({
        ranker: optional(choice('auto', 'default-2024-11-15')),
        score_threshold: optional(number()),
      }),
    ),
  },
  {
    check(tool, path) {
      if (tool.filters !== undefined && tool.filters !== null) checkFilter(tool.filters, `${path}.filters`);
    },
  },
);

function checkFilter(value: unknown, path: string): void {
  const filter = asObject(value, path);
  rowFor(filters, filter, path)(filter, path);
}

function checkCompound(value: unknown, path: string): void {
  const place = `${path}.filters`;
  const entries = asList(asObject(value, path).filters, place);
  for (const [index, entry] of entries.entries()) checkFilter(entry, `${place}[${index}]`);
}
