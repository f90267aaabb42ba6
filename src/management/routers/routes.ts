import { zeroUsd } from '../../core/money.ts';
import { apiBase } from '../../edge/route.ts';
import { choosableModels } from '../../routers/eligible-models.ts';
import { gatewayRouters } from '../../routers/gateway-routers.ts';
import { isoTime } from '../../util/iso-time.ts';
import { integer, list, named, Type, text } from '../../util/json-schema.ts';
import { managed, nano } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { type Chosen, type DayDecisions, readRouterDecisions } from './router-report.ts';

const ChosenSchema = Type.Object({ name: text(), generations: integer(), cost_nano: nano });

const Day = Type.Object({
  day: text({ description: 'A UTC day' }),
  generations: integer(),
  fallbacks: integer(),
  models: list(ChosenSchema),
});

/** The routers of the gateway, and what they did for the account. */
const RouterList = named(
  'RouterList',
  Type.Object({
    data: list(
      Type.Object({
        id: text(),
        name: text(),
        description: text(),
        candidates: list(text(), { description: 'Models of the catalogue that it chooses among' }),
        generations: integer({ description: 'Of the last seven UTC days, today included' }),
        cost_nano: nano,
        fallbacks: integer({ description: 'Answers for which more than one endpoint was asked' }),
        days: list(Day, { description: 'All seven, the oldest first; empty where it was not used' }),
        models: list(ChosenSchema, { description: 'What it chose, the most frequent first' }),
        tasks: list(ChosenSchema, {
          description: 'For which tasks; an empty name where none was recognised',
        }),
      }),
    ),
  }),
);

/** What routers choose among, and what they chose (docs/spec/dashboard.md#routers-page). */
export const routerRows: readonly Row[] = [
  jsonRow({
    ...managed('usage'),
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
