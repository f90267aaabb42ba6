import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { WorkloadIdentity } from '../identity/workload-identity.ts';
import { alignKey, deriveKey, isAsDeclared } from '../management/keys/derived-keys.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import { systemClock } from '../ports/clock.ts';
import type { Change } from '../ports/invalidation.ts';
import type { Storage } from '../ports/storage.ts';
import type { Caller } from '../settlement/caller.ts';

/** What finds callers by tokens of their platform, and the news of changes it makes. Loads nothing and asks for nothing before the first token. */
export function createIdentity(
  current: { readonly config: Config },
  parts: {
    readonly storage: Storage;
    readonly log: Logger;
    readonly callers: CallerDirectory;
    readonly invalidate: (change: Change) => void;
  },
): { readonly workloads: WorkloadIdentity<Caller>; readonly invalidate: (change: Change) => void } {
  const { storage, log, callers, invalidate } = parts;
  const changing = { storage, clock: systemClock, invalidate };
  const workloads = new WorkloadIdentity<Caller>({
    get config() {
      return current.config;
    },
    clock: systemClock,
    log,
    callers,
    derive: ({ issuer, policy, name }) => deriveKey({ issuer, policy, subject: name }, changing),
    isAsDeclared,
    align: (key, policy) => alignKey(key, policy, changing),
  });
  return { workloads, invalidate };
}
