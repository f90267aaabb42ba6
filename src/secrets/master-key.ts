import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '../core/secret.ts';

const keyLength = 32;
const fileName = 'master.key';

/**
 * The installation's master key: from the environment, else from the data directory, where the first start
 * creates it readable by its owner alone (operations.md 3, `HEADGATE_MASTER_KEY`).
 * @throws Error when it is not 32 bytes in base64.
 */
export async function loadMasterKey(dataDirectory: string, given: Secret | undefined): Promise<Buffer> {
  if (given !== undefined) return decodeKey(given.reveal(), 'HEADGATE_MASTER_KEY');
  const file = join(dataDirectory, fileName);
  await mkdir(dataDirectory, { recursive: true });
  await createOnce(file);
  return decodeKey(await readFile(file, 'utf8'), file);
}

async function createOnce(file: string): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(`${randomBytes(keyLength).toString('base64')}\n`);
    await handle.sync();
    await handle.close();
  } catch (error) {
    // Another start was first; its key counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function decodeKey(text: string, source: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== keyLength) {
    throw new Error(
      `${source} must hold ${keyLength} bytes in base64; make one with "openssl rand -base64 32".`,
    );
  }
  return key;
}
