import type { DiskUse } from '../../ports/storage.ts';

/** What takes room as JSON, in bytes. */
export function showDiskUse({ database, files, spool, free }: DiskUse) {
  return {
    database_bytes: database,
    files_bytes: files,
    ...(spool !== undefined && { spool_bytes: spool }),
    ...(free !== undefined && { free_bytes: free }),
  };
}
