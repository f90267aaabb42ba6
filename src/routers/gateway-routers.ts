import type { RouterId } from '../core/router-names.ts';
import { createAutoRouter } from './auto/auto-router.ts';
import { bodybuilderRouter } from './bodybuilder-router.ts';
import { freeRouter } from './free-router.ts';
import { paretoRouter } from './pareto-router.ts';
import type { Router } from './router.ts';

const routers: readonly Router[] = [
  createAutoRouter('service/auto', false),
  createAutoRouter('service/auto-beta', true),
  freeRouter,
  paretoRouter,
  bodybuilderRouter,
];

/** The routers of the gateway by id. One that is named but missing here has nothing to choose from. */
export const gatewayRouters: ReadonlyMap<RouterId, Router> = new Map(
  routers.map((router) => [router.id, router]),
);
