import type { Endpoint } from '../../core/catalogue.ts';
import { endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { endpointParameters, toolChoicesOf } from '../../pipeline/endpoint-parameters.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { Static } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import type { EndpointSchema } from '../schemas/catalogue.ts';
import { describeEndpoint } from './describe-endpoint.ts';
import type { ListedModel } from './describe-model.ts';
import { findModel } from './find-model.ts';
import { listModel, listModels } from './list-models.ts';
import { ModelFacts } from './model-facts.ts';

/** A call whose path names a model: by author and slug, or by an id whose slash was encoded. */
interface ModelCall {
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller | undefined;
}

/** Every row of the list of models that a caller may see. */
export function rowsFor(
  caller: Caller | undefined,
  services: Pick<InterfaceServices, 'catalogue' | 'upstreams'>,
): readonly ListedModel[] {
  return listModels(services.catalogue(), services.upstreams, caller?.account.id);
}

/** The row of the model a path names. Refuses like `findModel`. */
export function findRow(
  { params: { author, slug, id }, caller }: ModelCall,
  services: Pick<InterfaceServices, 'catalogue' | 'upstreams'>,
): ListedModel {
  const accountId = caller?.account.id;
  const asked = id ?? `${author}/${slug}`;
  const { model, by } = findModel(asked, services.catalogue(), accountId);
  const row = listModel(model, services.upstreams, accountId);
  return by === 'latest' ? { ...row, alias: asked.toLowerCase().split(':')[0] } : row;
}

/** What is measured at this moment. */
export function modelFactsNow({
  statistics,
  clock,
}: Pick<InterfaceServices, 'statistics' | 'clock'>): ModelFacts {
  return new ModelFacts(statistics, clock.now());
}

/** The endpoints of rows, as a caller sees them. */
export function listEndpoints(
  rows: readonly ListedModel[],
  caller: Caller | undefined,
  services: InterfaceServices,
  isShown: (endpoint: Endpoint) => boolean = () => true,
): readonly Static<typeof EndpointSchema>[] {
  const facts = modelFactsNow(services);
  return rows.flatMap(({ model, endpoints }) =>
    endpoints.filter(isShown).map((endpoint) =>
      describeEndpoint(endpoint, model, {
        figures: facts.figures(endpoint),
        parameters: endpointParameters(endpoint, model, services.upstreams),
        toolChoices: toolChoicesOf(endpoint, services.upstreams),
        showsPercentiles: caller !== undefined,
        condition: endpointCondition(endpoint, services),
        at: facts.now,
      }),
    ),
  );
}
