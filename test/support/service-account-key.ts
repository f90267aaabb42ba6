import { generateKeyPairSync } from 'node:crypto';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Verifies what the key below signs. */
export const publicKey = pair.publicKey;

/** A service-account key as the vendor's console hands it out, as JSON text; the key pair is made for this process. */
export function createServiceAccountKey(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'tides-123',
    private_key_id: 'kid-1',
    private_key: pair.privateKey,
    client_email: 'gateway@tides-123.iam.gserviceaccount.com',
    client_id: '100',
    token_uri: 'https://oauth2.googleapis.com/token',
    ...changes,
  });
}
