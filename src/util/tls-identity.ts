import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { messageOf } from './message-of.ts';
import { readSecretFile } from './read-secret-file.ts';

/** The files a listener with TLS proves itself with, by absolute names. */
export interface TlsFiles {
  /** PEM: the server's certificate first, then those that signed it. */
  readonly certFile: string;
  /** PEM, not encrypted. */
  readonly keyFile: string;
}

/** What a listener with TLS is created with, and given anew when its files change (docs/spec/operations.md#tls). */
export type TlsIdentity = Pick<SecureContextOptions, 'cert' | 'key' | 'minVersion'>;

/** Milliseconds between looks at the files. They are often links to links, which file events do not follow. */
const lookInterval = 2_000;

/**
 * Reads certificate and key.
 * @throws Error that names the file and what is wrong with it: unreadable, not PEM, or a key of another certificate.
 */
export function readTlsIdentity({ certFile, keyFile }: TlsFiles): TlsIdentity {
  const cert = readPem('server.tls.cert_file', certFile);
  const key = readPem('server.tls.key_file', keyFile);
  attempt(
    `server.tls.cert_file: ${certFile} contains no certificate in PEM`,
    () => new X509Certificate(cert),
  );
  attempt(`server.tls.key_file: ${keyFile} contains no unencrypted private key in PEM`, () =>
    createSecureContext({ key }),
  );
  const identity = { cert, key, minVersion: 'TLSv1.2' } as const;
  attempt(`server.tls: the key in ${keyFile} does not belong to the certificate in ${certFile}`, () =>
    createSecureContext(identity),
  );
  return identity;
}

function readPem(name: string, file: string): string {
  try {
    return readSecretFile(file);
  } catch (error) {
    throw new Error(`${name}: ${file} cannot be read (${messageOf(error)})`);
  }
}

/** Runs what fails with words of a library, which may quote what was read. */
function attempt(failure: string, step: () => unknown): void {
  try {
    step();
  } catch {
    throw new Error(failure);
  }
}

/** Stops looking. */
export interface TlsWatch {
  close(): void;
}

/**
 * Reads the files again whenever one of them changes.
 * @param initial What they contained when the listener was created.
 * @param onChange Is given each new identity.
 * @param onFailure Is called with what is wrong with the new files; the identity in use stays. Certificate and key are
 *   often replaced one after the other, so a failure may be followed by a change at once.
 */
export function watchTlsIdentity(
  files: TlsFiles,
  initial: TlsIdentity,
  onChange: (identity: TlsIdentity) => void,
  onFailure: (failure: Error) => void,
  interval = lookInterval,
): TlsWatch {
  let current = initial;
  const read = () => {
    try {
      const next = readTlsIdentity(files);
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      onChange(next);
    } catch (error) {
      onFailure(error instanceof Error ? error : new Error('unknown failure'));
    }
  };
  const names = new Set([files.certFile, files.keyFile]);
  for (const name of names) watchFile(name, { persistent: false, interval }, read);
  return {
    close: () => {
      for (const name of names) unwatchFile(name, read);
    },
  };
}
