import type { MasterKey } from '../secrets/master-key.ts';

/** Where the keys come from that stored secrets are sealed with: a file, the environment, or a key service. */
export interface KeySource {
  /** The key to begin with when no secret was ever stored. @throws Error when the keys cannot be had. */
  current(): Promise<MasterKey>;
  /** The key of this id, looked for anew when it is not known; undefined when there is none. */
  find(id: string): Promise<MasterKey | undefined>;
}

/** A source whose keys can be renewed while others use it. */
export interface RenewableKeySource extends KeySource {
  /**
   * Begins a renewal: resolves once every process can find the new key, and with the ids of those it replaces.
   * @throws Error for the operator when the keys are not this program's to change and there is no newer one.
   */
  renew(): Promise<{ readonly key: MasterKey; readonly replaced: readonly string[] }>;
  /** Ends it: nothing is sealed under these keys any more. */
  retire(ids: readonly string[]): Promise<void>;
}
