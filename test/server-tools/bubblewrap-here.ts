import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/bubblewrap-driver.ts';
import type { SandboxLimits } from '../../src/sandbox/sandbox-driver.ts';

/** Limits of tests: small, so that what fills them does so soon. */
export const smallLimits: SandboxLimits = {
  memory: 256 * 1024 * 1024,
  disk: 32 * 1024 * 1024,
  processes: 64,
};

const { problems } = await new BubblewrapDriver(() => ({ limits: smallLimits })).probe();

/** Why tests of containers cannot run on this machine; false where they can. */
export const noBubblewrap: string | false = problems.length === 0 ? false : problems.join('; ');

if (noBubblewrap !== false) console.log(`tests of bubblewrap skipped: ${noBubblewrap}`);
