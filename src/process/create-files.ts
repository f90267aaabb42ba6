import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { FileDirectory } from '../files/file-directory.ts';
import { StoredFiles } from '../files/stored-files.ts';
import { systemClock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';

/** What files are stored in, and where their failures are logged. */
export interface FileHolders {
  readonly storage: Storage;
  readonly log: Pick<Logger, 'error'>;
}

/** The files of the installation, in the directory that the configuration names when the server starts. */
export function createFiles(
  current: { readonly config: Config },
  { storage, log }: FileHolders,
): StoredFiles {
  const { tools, dataDirectory } = current.config;
  const directory = new FileDirectory(tools.files.directory ?? join(dataDirectory, 'files'));
  return new StoredFiles({
    store: storage.files,
    directory,
    clock: systemClock,
    room: () => {
      const { files, fileBytes: bytes } = current.config.limits.stored;
      return { files, bytes };
    },
    onFailure: (err) => log.error({ err }, 'files whose time is over cannot be removed'),
  });
}
