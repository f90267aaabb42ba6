import { integer, list, named, Type, text } from '../../util/json-schema.ts';
import { nano } from './nano.ts';

const Chosen = Type.Object({ name: text(), generations: integer(), cost_nano: nano });

const Day = Type.Object({
  day: text({ description: 'A UTC day' }),
  generations: integer(),
  fallbacks: integer(),
  models: list(Chosen),
});

/** The routers of the gateway, and what they did for the account. */
export const RouterList = named(
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
        models: list(Chosen, { description: 'What it chose, the most frequent first' }),
        tasks: list(Chosen, { description: 'For which tasks; an empty name where none was recognised' }),
      }),
    ),
  }),
);
