import { spawnSync } from 'node:child_process';
import type { SandboxLimits } from '../../src/sandbox/sandbox-driver.ts';

/** Limits of tests: small, so that what fills them does so soon. */
export const smallLimits: SandboxLimits = {
  memory: 256 * 1024 * 1024,
  disk: 32 * 1024 * 1024,
  processes: 64,
};

const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const { error, stderr, status } = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], {
  ...nobody,
  cwd: '/',
  encoding: 'utf8',
});

/** Why this machine cannot make containers at all; false where it can. */
export const noBubblewrap: string | false =
  status === 0 ? false : `bwrap makes no namespaces here: ${error?.message ?? stderr.trim()}`;

if (noBubblewrap !== false) console.log(`tests of bubblewrap skipped: ${noBubblewrap}`);
