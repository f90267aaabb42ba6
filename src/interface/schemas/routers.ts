import { integer, list, named, Type, text } from '../../util/json-schema.ts';
import { nano } from './nano.ts';

const Chosen = Type.Object({ name: text(), generations: integer(), cost_nano: nano });

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
        models: list(Chosen, { description: 'What it chose, the most frequent first' }),
        tasks: list(Chosen, { description: 'For which tasks; an empty name where none was recognised' }),
      }),
    ),
  }),
);
