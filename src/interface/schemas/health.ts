import { dependencyStates } from '../../metrics/dependency-health.ts';
import { flag, integer, named, Type, word } from '../../util/json-schema.ts';

const dependencies = Object.entries(dependencyStates).map(([name, states]) => [name, word(states)]);

const bytes = (description: string) => integer({ description });

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
    disk: Type.Optional(
      named(
        'DiskUse',
        Type.Object({
          database_bytes: bytes('Of the database'),
          files_bytes: bytes('Of the contents of files, in the database or beside it'),
          spool_bytes: Type.Optional(
            bytes('Of charges that wait beside the database, and the room for them'),
          ),
          free_bytes: Type.Optional(
            bytes('Free on the disk of the database or, where that is elsewhere, of the spool'),
          ),
        }),
      ),
    ),
  }),
);
