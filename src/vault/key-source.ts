import type { MasterKey } from '../secrets/master-key.ts';

/** The source of the keys that seal stored secrets: a file, the environment, or a key service. */
export interface KeySource {
  /** The key to start with when no secret was ever stored. @throws Error when the keys are unavailable. */
  current(): Promise<MasterKey>;
  /** The key of this id; an unknown one is looked up again in the source. Undefined when there is none. */
  find(id: string): Promise<MasterKey | undefined>;
}

/** A source whose keys can be renewed while others use it. */
export interface RenewableKeySource extends KeySource {
  /**
   * Starts a renewal: resolves, with the ids of the replaced keys, once every process can find the new key.
   * @throws Error for the operator when this program may not change the keys and there is no newer one.
   */
  renew(): Promise<{ readonly key: MasterKey; readonly replaced: readonly string[] }>;
  /** Ends it: nothing is sealed with these keys any more. */
  retire(ids: readonly string[]): Promise<void>;
}
