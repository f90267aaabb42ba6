import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Catalogue } from '../../src/core/catalogue.ts';

/** The catalogue an operator's file makes, read as the server reads it. @param now Unix milliseconds. */
export async function readCatalogue(text: string, now = Date.now()): Promise<Catalogue> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-catalogue-'));
  try {
    const file = join(directory, 'headgate.yaml');
    await writeFile(file, text);
    const { config } = await loadConfig({ file, environment: {}, directory, clock: { now: () => now } });
    return config.catalogue;
  } finally {
    await rm(directory, { recursive: true });
  }
}
