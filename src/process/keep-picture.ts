import { HeadgateError } from '../core/errors.ts';
import { apiBase } from '../edge/route.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { FileOwner } from '../ports/files.ts';
import type { Picture } from '../server-tools/image-generation/read-picture.ts';

/** How long pictures are kept that the gateway had made, in milliseconds. */
const lifetime = 24 * 60 * 60_000;

/**
 * Keeps a picture among the files of its owner. Returns the path of its contents; undefined where files are off, or there is
 * no room for it.
 */
export async function keepPicture(
  owner: FileOwner,
  { base64, mimeType }: Picture,
  files: StoredFiles,
  isEnabled: boolean,
): Promise<string | undefined> {
  if (!isEnabled || base64 === undefined) return undefined;
  const contents = Buffer.from(base64, 'base64');
  const filename = `picture.${mimeType.replace('image/', '')}`;
  try {
    const { id } = await files.add(owner, { filename, mimeType, contents, lifetime });
    return `${apiBase}/files/${id}/content`;
  } catch (error) {
    if (error instanceof HeadgateError && error.code === 'payload_too_large') return undefined;
    throw error;
  }
}
