import { writeFile } from 'node:fs/promises';

/** Drops the system's file cache, where that is permitted. */
export async function forgetFiles(): Promise<void> {
  await writeFile('/proc/sys/vm/drop_caches', '3').catch(() => undefined);
}
