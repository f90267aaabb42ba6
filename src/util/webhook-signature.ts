import { createHmac } from 'node:crypto';
import type { Secret } from './secret.ts';
import { readWebhookSecret } from './webhook-secret.ts';

/**
 * The headers of a webhook as the Standard Webhooks specification has them. Without a secret it is not signed.
 * @param webhook.body As it is sent, byte for byte.
 * @param at Unix milliseconds.
 */
export function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string | Uint8Array },
  at: number,
  secret: Secret | undefined,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return named;
  const hmac = createHmac('sha256', readWebhookSecret(secret.reveal()));
  const signature = hmac.update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { ...named, 'webhook-signature': `v1,${signature}` };
}
