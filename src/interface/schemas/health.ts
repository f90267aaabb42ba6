import { dependencyStates } from '../../metrics/dependency-health.ts';
import { flag, named, Type, word } from '../../util/json-schema.ts';

const dependencies = Object.entries(dependencyStates).map(([name, states]) => [name, word(states)]);

/** The process answers. */
export const Liveness = named('Liveness', Type.Object({ status: word(['ok']) }));

/** Whether requests are welcome. */
export const Readiness = named(
  'Readiness',
  Type.Object({
    status: word(['ok', 'degraded', 'unavailable']),
    draining: flag(),
    overload: Type.Optional(word(['memory', 'event_loop'])),
    dependencies: Type.Object(Object.fromEntries(dependencies)),
  }),
);
