import type { Model } from '../../core/catalogue.ts';
import { integer, list, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';

const type = 'service:experimental__search_models';
const { definition, check } = toolFunction(
  type,
  'Finds models that can be asked here, by words and by what they can do.',
  Type.Object({
    query: optional(text({ description: 'Words of the name, the slug or the description.' })),
    input_modalities: optional(list(text(), { description: 'What it has to take, such as image.' })),
    output_modalities: optional(list(text(), { description: 'What it has to write.' })),
    min_context_length: optional(integer({ description: 'Tokens that it has to take.' })),
    series: optional(text({ description: 'The family of the model.' })),
  }),
);

interface Wanted {
  readonly query?: string | null;
  readonly input_modalities?: readonly string[] | null;
  readonly output_modalities?: readonly string[] | null;
  readonly min_context_length?: number | null;
  readonly series?: string | null;
}

const usualResults = 5;
const mostResults = 20;

/** `service:experimental__search_models` (docs/spec/server-tools.md#model-search). */
export const searchModelsTool: ServerTool = {
  type,
  concerns: (request) => entryOf(request, type) !== undefined,
  offer(request) {
    const { max_results: most } = entryOf(request, type)?.settings ?? {};
    const limit = Math.min(Math.max(typeof most === 'number' ? most : usualResults, 1), mostResults);
    return [
      {
        type,
        definition,
        idPrefix: 'sm_',
        async run(input, { models, written }) {
          const wanted: Wanted = check(input, '');
          const found = models().filter((model) => fits(model, wanted));
          const shown = found.slice(0, limit).map(toResult);
          const output = { models: shown, total_results: found.length, showing: shown.length };
          return {
            output: JSON.stringify(output),
            fields: { query: wanted.query ?? '', arguments: written },
          };
        },
      },
    ];
  },
};

function fits(model: Model, wanted: Wanted): boolean {
  const {
    query,
    input_modalities: takes,
    output_modalities: writes,
    min_context_length: least,
    series,
  } = wanted;
  const words = `${model.name} ${model.id} ${model.description}`.toLowerCase();
  return (
    (!query || words.includes(query.toLowerCase())) &&
    (takes ?? []).every((kind) => model.inputModalities.some((known) => known === kind)) &&
    (writes ?? []).every((kind) => model.outputModalities.some((known) => known === kind)) &&
    (!least || (model.contextLength ?? 0) >= least) &&
    (!series || seriesOf(model).toLowerCase().includes(series.toLowerCase()))
  );
}

function seriesOf({ family, id }: Model): string {
  return family ?? id.split('/', 1)[0] ?? id;
}

function toResult(model: Model) {
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    context_length: model.contextLength ?? null,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    series: seriesOf(model),
  };
}
