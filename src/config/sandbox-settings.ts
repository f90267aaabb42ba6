import { httpUrlField, secretField, section, sizeField } from '../schema/fields.ts';
import { integer, type Static, Type, text, word } from '../util/json-schema.ts';
import type { Reading } from './reading.ts';

/** `tools.sandbox`: where commands of models run. */
export const sandboxSettings = Type.Object(
  {
    driver: word(['off', 'bubblewrap', 'podman', 'docker', 'http'], {
      default: 'off',
      description: 'What makes containers for `service:shell` and `service:bash`',
    }),
    root: Type.Optional(
      text({
        minLength: 1,
        description:
          'For bubblewrap: a directory with the programs commands may run; those of this machine by default',
      }),
    ),
    image: Type.Optional(
      text({
        minLength: 1,
        description: 'For podman and docker: the image, with bash in it, by its digest; it must be there',
      }),
    ),
    runtime: Type.Optional(
      text({ minLength: 1, description: 'For podman and docker: the runtime of containers, such as runsc' }),
    ),
    url: Type.Optional(httpUrlField('For http: the address of the service, which may be private')),
    api_key: secretField('For http: what the service is asked with'),
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

/** Members that belong to some drivers alone. */
const owners = {
  root: ['bubblewrap'],
  image: ['podman', 'docker'],
  runtime: ['podman', 'docker'],
  url: ['http'],
  api_key: ['http'],
} as const;

/** Notes members that the driver needs, and those that have no effect with it. */
export function checkSandbox(
  settings: Partial<Static<typeof sandboxSettings>> | undefined,
  reading: Reading,
): void {
  const { driver = 'off' } = settings ?? {};
  const needed = { podman: 'image', docker: 'image', http: 'url' } as const;
  const missing = driver === 'off' || driver === 'bubblewrap' ? undefined : needed[driver];
  if (missing !== undefined && settings?.[missing] === undefined) {
    reading.problem(`tools.sandbox.${missing}`, {
      problem: 'is missing',
      allowed:
        missing === 'image' ? 'an image with bash, such as name@sha256:...' : 'the address of the service',
      remedy: `add it, the driver "${driver}" needs it`,
    });
  }
  for (const [name, drivers] of Object.entries(owners)) {
    if (
      settings?.[name as keyof typeof owners] === undefined ||
      (drivers as readonly string[]).includes(driver)
    )
      continue;
    reading.problem(`tools.sandbox.${name}`, {
      problem: `has no effect with the driver "${driver}"`,
      allowed: `the driver ${drivers.join(' or ')}`,
      remedy: 'remove it, or name that driver',
    });
  }
}
