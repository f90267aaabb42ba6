import { section, sizeField } from '../schema/fields.ts';
import { integer, Type, text, word } from '../util/json-schema.ts';

/** `tools.sandbox`: where commands of models run. */
export const sandboxSettings = Type.Object(
  {
    driver: word(['off', 'bubblewrap'], {
      default: 'off',
      description: 'What makes containers for `service:shell` and `service:bash`',
    }),
    root: Type.Optional(
      text({
        minLength: 1,
        description: 'A directory with the programs that commands may run; those of this machine by default',
      }),
    ),
    limits: Type.Object(
      {
        memory: sizeField('512MiB', 'Memory of each process of a container, and of all together'),
        disk: sizeField('1GiB', 'Files of a container; they are held in memory'),
        processes: integer({
          minimum: 8,
          maximum: 4096,
          default: 256,
          description: 'Processes of a container',
        }),
      },
      section('What one container may take'),
    ),
    max_containers: integer({
      minimum: 1,
      maximum: 1_000,
      default: 16,
      description: 'Containers of a process at the same time',
    }),
    max_containers_per_workspace: integer({
      minimum: 1,
      maximum: 1_000,
      default: 5,
      description: 'Of these, for one workspace',
    }),
  },
  section('The sandbox for commands'),
);
