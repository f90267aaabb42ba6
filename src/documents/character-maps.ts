import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The names of maps that pdf.js asks for stand in strangers' documents. */
const nameOfMap = /^[A-Za-z0-9-]{1,64}\.bcmap$/;

/** What pdf.js reads maps with; the shape is its own. */
interface MapRequest {
  readonly kind: string;
  readonly filename: string;
}

/**
 * The options with which pdf.js reads the maps of characters that older Chinese, Japanese and Korean documents only name
 * (docs/spec/plugins.md#file-parser); none where the maps are not installed.
 */
export function characterMapOptions() {
  const folder = findMaps();
  if (folder === undefined) return {};
  class CharacterMaps {
    async fetch({ kind, filename }: MapRequest): Promise<Uint8Array> {
      if (kind !== 'cMapUrl' || !nameOfMap.test(filename)) throw new Error('There is no such map.');
      return new Uint8Array(await readFile(join(folder ?? '', filename)));
    }
  }
  // The address is never used, but without one pdf.js asks for nothing.
  return { cMapUrl: 'maps/', cMapPacked: true, useWorkerFetch: false, BinaryDataFactory: CharacterMaps };
}

/** Beside this file in the published package; in a package of development where the sources run. */
function findMaps(): string | undefined {
  const beside = join(dirname(fileURLToPath(import.meta.url)), 'cmaps');
  if (existsSync(beside)) return beside;
  try {
    const packed = fileURLToPath(import.meta.resolve('pdfjs-dist/package.json'));
    const folder = join(dirname(packed), 'cmaps');
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
