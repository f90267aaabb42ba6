import type { Secret } from '../util/secret.ts';
import type { SandboxLimits } from './sandbox-driver.ts';

/** What makes containers. */
export type SandboxDriverName = 'off' | 'bubblewrap' | 'podman' | 'docker' | 'http';

/** What the operator says of containers (docs/spec/sandbox.md). */
export interface SandboxSettings {
  readonly driver: SandboxDriverName;
  /** For `bubblewrap`: a directory with the programs commands may run; those of this machine by default. */
  readonly root?: string | undefined;
  /** For `podman` and `docker`: the image, with its digest. */
  readonly image?: string | undefined;
  /** For `podman` and `docker`: the runtime of containers, such as `runsc`. */
  readonly runtime?: string | undefined;
  /** For `http`: the address of the service. */
  readonly url?: string | undefined;
  readonly apiKey?: Secret | undefined;
  readonly limits: SandboxLimits;
  /** Containers at the same time. */
  readonly maxContainers: number;
  readonly maxContainersPerWorkspace: number;
}
