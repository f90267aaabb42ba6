import { readMasterKeys } from '../secrets/master-key.ts';
import { MasterKeyFile } from '../secrets/master-key-file.ts';
import type { Secret } from '../util/secret.ts';
import { ConfiguredKeySource } from './configured-key-source.ts';
import { FileKeySource } from './file-key-source.ts';
import type { RenewableKeySource } from './key-source.ts';

/**
 * The installation's master keys: the configured ones, else those in the data directory
 * (docs/spec/operations.md#master-keys).
 * @param given One or several, the current one first.
 */
export function openKeySource(dataDirectory: string, given: Secret | undefined): RenewableKeySource {
  if (given === undefined) return new FileKeySource(new MasterKeyFile(dataDirectory));
  return new ConfiguredKeySource(readMasterKeys(given.reveal(), 'HEADGATE_MASTER_KEY'));
}
