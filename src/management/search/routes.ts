import { apiBase } from '../../edge/route.ts';
import { unit, withUnit } from '../../schema/units.ts';
import type { Caller } from '../../settlement/caller.ts';
import { choice, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { rowsFor } from '../models/listed-models.ts';
import { jsonRow, type Row } from '../row.ts';
import { bestMatches, type Found, mostFound, searchAccount } from './search.ts';

/** What a text leads to. */
const SearchResults = named(
  'SearchResults',
  Type.Object({
    data: list(
      Type.Object({
        kind: choice(
          'generation',
          'session',
          'key',
          'model',
          'provider',
          'workspace',
          'credential',
          'preset',
          'guardrail',
        ),
        id: text(),
        workspace_id: orNull(text({ description: 'Of a preset, whose id is unique only there' })),
        name: text(),
        detail: orNull(text({ description: 'What it belongs to' })),
      }),
    ),
  }),
);

const longest = 200;
const asked = withUnit(
  unit('search', `text of at most ${longest} characters`, (given) => {
    if (given.length > longest) throw new RangeError('is too long');
    return given.trim();
  }),
  text({ maxLength: longest }),
);

/** What a text leads to, for the dashboard's palette (docs/spec/dashboard.md#search). */
export const searchRows: readonly Row[] = [
  jsonRow({
    method: 'GET',
    path: `${apiBase}/search`,
    access: 'key',
    needs: 'usage',
    reachesDatabase: true,
    id: 'search',
    summary: 'Calls and sessions by their ids, models, and what a management key has by name; at most 20',
    query: Type.Object({ q: asked }),
    answer: SearchResults,
    handle: async ({ actor, caller, query }, services) => {
      const { q } = query;
      if (q === '') return { data: [] };
      const models = bestMatches(q, modelsAndProviders(caller, services), mostFound);
      const own = await searchAccount(actor, q, services);
      // Sorted together, so that a key named like the text precedes a model that only contains it.
      const found = bestMatches(q, [...own, ...models], mostFound);
      return { data: found.map(showFound) };
    },
  }),
];

function showFound({ kind, id, workspaceId, name, detail }: Found) {
  return { kind, id, workspace_id: workspaceId ?? null, name, detail };
}

function modelsAndProviders(caller: Caller, services: InterfaceServices): readonly Found[] {
  const models = rowsFor(caller, services).map(({ model, alias }): Found => {
    const id = alias ?? model.id;
    const name = `${model.name} (${id})`;
    return { kind: 'model', id, name, detail: null, names: [model.name, id] };
  });
  const providers = [...services.catalogue().providers.values()].map(({ slug, name }): Found => {
    return { kind: 'provider', id: slug, name, detail: slug, names: [name, slug] };
  });
  return [...models, ...providers];
}
