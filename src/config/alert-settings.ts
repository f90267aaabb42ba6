import { httpUrlField, section, usdField, webhookSecretField } from '../schema/fields.ts';
import { units, withUnit } from '../schema/units.ts';
import { list, number, type Static, Type } from '../util/json-schema.ts';
import type { Reading } from './reading.ts';

/** `alerts`: when operators are notified about money that runs out and providers that are down, and where. */
export const alertSettings = Type.Object(
  {
    webhook: Type.Optional(httpUrlField('Where alerts are posted; left out: none are made')),
    secret: webhookSecretField('Signs them as Standard Webhooks: whsec_ and 24 to 64 bytes in base64'),
    thresholds: list(number({ minimum: 0.01, maximum: 1 }), {
      minItems: 1,
      maxItems: 10,
      default: [0.8, 1],
      description: 'Fractions of the limit of a key, and of a budget, that are reported',
    }),
    spend_per_hour_usd: Type.Optional(
      withUnit(units.usd, {
        type: ['number', 'string'],
        minimum: 0,
        description:
          'What an account may be charged within a UTC hour before that is reported; left out: any amount',
      }),
    ),
    balance_usd: usdField(100, 'Balance of a prepaid account below which it is low'),
  },
  section('Alerts by webhook'),
);

/** Notes a secret without anything that it would sign. */
export function checkAlerts(
  { webhook, secret }: Partial<Static<typeof alertSettings>> = {},
  reading: Reading,
): void {
  if (webhook !== undefined || secret === undefined || reading.hasProblemAt('alerts.webhook')) return;
  reading.problem('alerts.secret', {
    problem: 'signs nothing without alerts.webhook',
    allowed: 'a secret beside the address of a webhook',
    remedy: 'set alerts.webhook, or leave it out',
  });
}
