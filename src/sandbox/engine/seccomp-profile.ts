import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deniedCalls } from '../denied-calls.ts';

const notPermitted = 1;
const notThere = 38;
/** Flags of `clone` that make namespaces, one by one. */
const namespaceFlags = [
  0x80, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
];
/** The last family of sockets that containers may have; those between are not there any more. */
const lastFamily = 10;

const refused = (names: readonly string[], more: object = {}) => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet: notPermitted,
  ...more,
});

/** The filter of system calls as engines read it: the same as that of bubblewrap. */
function seccompProfile(): string {
  const clones = namespaceFlags.map((flag) =>
    refused(['clone'], { args: [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }] }),
  );
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [process.arch === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      refused(Object.keys(deniedCalls)),
      ...clones,
      refused(['clone3'], { errnoRet: notThere }),
      refused(['socket'], { args: [{ index: 0, value: lastFamily, op: 'SCMP_CMP_GT' }] }),
    ],
  });
}

let made: string | undefined;

/** A file with the filter, for the command line of an engine; in a folder of this process, where nobody else can put another. */
export function seccompProfileFile(): string {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), 'headgate-seccomp-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'profile.json');
  writeFileSync(path, seccompProfile(), { mode: 0o600 });
  made = path;
  return path;
}
