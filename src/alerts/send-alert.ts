import { messageOf } from '../util/message-of.ts';
import { webhookHeaders } from '../util/webhook-signature.ts';
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
