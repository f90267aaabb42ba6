import { get } from '../../api/client.ts';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';
import { filterNames } from './model-filters.tsx';

/** Those that the filters of the address leave. Without any it is the same question. */
export function useFilteredModels() {
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = choice(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const isFiltered = Object.keys(filters).length > 0;
  return useQuery(
    isFiltered ? ['models', filters] : ['models'],
    // The server reads what stands in the address, and says what is wrong with it.
    (signal) => get('/models/user', { query: filters as object, signal }),
    { every: 120_000 },
  );
}
