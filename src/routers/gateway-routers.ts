import type { Model } from '../core/catalogue.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { RouterId } from '../core/router-names.ts';
import { emptyRouter } from '../routing/unknown-model.ts';
import { createAutoRouter } from './auto/auto-router.ts';
import { bodybuilderRouter } from './bodybuilder-router.ts';
import { eligibleModels } from './eligible-models.ts';
import { createFusionRouter } from './fusion-router.ts';
import { paretoRouter } from './pareto-router.ts';
import type { Router, RouterQuestion } from './router.ts';

const mostModels = 3;

/** `service/free` (docs/spec/routers.md#free): free variants that can serve a request, drawn at random. */
const freeRouter: Router = {
  id: 'service/free',
  name: 'Free Models Router',
  description: 'Chooses among the free variants that can serve the request, at random.',
  belongs: isFree,
  choose,
};

function isFree({ id }: Model): boolean {
  return id.endsWith(':free');
}

function choose(question: RouterQuestion): RoutedModels {
  const { request, named, snapshot, remembered } = question;
  const left = eligibleModels(question, isFree).map(({ model }) => model.id);
  if (left.length === 0) throw emptyRouter(named.slug, request, 'finds no free model for this request');
  const considered = left.length;
  const models: string[] = [];
  const known = left.indexOf(remembered ?? '');
  if (known !== -1) models.push(...left.splice(known, 1));
  while (models.length < mostModels && left.length > 0) {
    models.push(...left.splice(Math.floor(snapshot.random() * left.length), 1));
  }
  return {
    router: 'service/free',
    strategy: 'free',
    models,
    entry: {
      type: 'plugin',
      name: 'free-router',
      summary: `${models[0]} of ${considered} free models`,
      data: {
        considered,
        chosen_because: known === -1 ? 'draw' : 'sticky',
        candidates: models.map((model) => ({ model })),
      },
    },
  };
}

const routers: readonly Router[] = [
  createAutoRouter('service/auto', false),
  createAutoRouter('service/auto-beta', true),
  freeRouter,
  paretoRouter,
  createFusionRouter('service/fusion', 'general-high', 'Fusion'),
  createFusionRouter('service/fusion-flash', 'general-fast', 'Fusion Flash'),
  bodybuilderRouter,
];

/** The routers of the gateway by id. One that is named but missing here has nothing to choose from. */
export const gatewayRouters: ReadonlyMap<RouterId, Router> = new Map(
  routers.map((router) => [router.id, router]),
);
