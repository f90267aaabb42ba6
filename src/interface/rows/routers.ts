import { zeroUsd } from '../../core/money.ts';
import { apiBase } from '../../edge/paths.ts';
import {
  type Chosen,
  type DayDecisions,
  readRouterDecisions,
} from '../../operations/reports/router-decisions.ts';
import { choosableModels } from '../../routers/eligible-models.ts';
import { gatewayRouters } from '../../routers/gateway-routers.ts';
import { isoTime } from '../../util/iso-time.ts';
import { jsonRow, type Row } from '../row.ts';
import { RouterList } from '../schemas/routers.ts';
import { managed } from './management-parts.ts';

/** What routers choose among, and what they chose (docs/spec/dashboard.md#routers-page). */
export const routerRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${apiBase}/routers`,
    id: 'listRouters',
    summary: 'The routers, the models they choose among, and what they chose for the account in seven days',
    answer: RouterList,
    handle: async ({ actor, caller }, services) => {
      const decisions = await readRouterDecisions(actor, services);
      const [catalogue, rules] = [services.catalogue(), services.routing()];
      const models = [...choosableModels(catalogue, caller.account.id)];
      return {
        data: [...gatewayRouters.values()].map((router) => {
          const made = decisions.get(router.id);
          return {
            id: router.id,
            name: router.name,
            description: router.description,
            candidates: models
              .filter((model) => router.belongs(model, { rules, catalogue }))
              .map(({ id }) => id),
            generations: made?.total.generations ?? 0,
            cost_nano: String(made?.total.cost ?? zeroUsd),
            fallbacks: made?.fallbacks ?? 0,
            days: (made?.days ?? []).map(showDay),
            models: (made?.models ?? []).map(showChosen),
            tasks: (made?.tasks ?? []).map(showChosen),
          };
        }),
      };
    },
  }),
];

function showDay({ start, total, fallbacks, models }: DayDecisions) {
  const day = isoTime(start).slice(0, 10);
  return { day, generations: total.generations, fallbacks, models: models.map(showChosen) };
}

function showChosen({ name, generations, cost }: Chosen) {
  return { name, generations, cost_nano: String(cost) };
}
