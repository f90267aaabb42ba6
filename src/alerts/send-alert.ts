import { createHmac } from 'node:crypto';
import { messageOf } from '../util/message-of.ts';
import type { Secret } from '../util/secret.ts';
import { readWebhookSecret } from '../util/webhook-secret.ts';
import type { AlertRules } from './alert-rules.ts';

const patience = 10_000;

/**
 * Posts an alert once and returns why it was not delivered, undefined if it was. Whatever the receiver answers beside
 * its status is not read.
 */
export async function sendAlert(
  alert: { readonly id: string; readonly body: string },
  { webhook, secret }: Pick<AlertRules, 'webhook' | 'secret'>,
  now: number,
): Promise<string | undefined> {
  try {
    const response = await fetch(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...webhookHeaders(alert, now, secret) },
      body: alert.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return messageOf(cause);
  }
}

/**
 * The headers of a webhook as the Standard Webhooks specification has them. Without a secret it is not signed.
 * @param at Unix milliseconds.
 */
function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  at: number,
  secret: Secret | undefined,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return named;
  const hmac = createHmac('sha256', readWebhookSecret(secret.reveal()));
  const signature = hmac.update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...named, 'webhook-signature': `v1,${signature}` };
}
