import type { RouterId } from '../core/router-names.ts';
import { createAutoRouter } from './auto/auto-router.ts';
import { bodybuilderRouter } from './bodybuilder-router.ts';
import { freeRouter } from './free-router.ts';
import { createFusionRouter } from './fusion-router.ts';
import { paretoRouter } from './pareto-router.ts';
import type { Router } from './router.ts';

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
