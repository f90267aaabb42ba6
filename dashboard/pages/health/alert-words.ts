import type { AlertList } from '../../../clients/headgate-api.ts';
import { nanoOf, percent, plain, usd } from '../../text/format.ts';

type Alert = AlertList['data'][number];

/** What an alert says, in one sentence. */
export function wordsOf({ type, data }: Pick<Alert, 'type' | 'data'>): string {
  const name = nameOf(data.object);
  const limit = money(data.limit_usd);
  switch (type) {
    case 'key.limit':
      return `Key ${name} has used ${part(data)} of its limit of ${limit}`;
    case 'budget.limit':
      return `A budget${intervalOf(data.object)}${name === '' ? '' : ` of ${name}`} is used to ${part(data)} of ${limit}`;
    case 'balance.low':
      return `The balance of ${name} is low: ${money(data.balance_usd)} of at least ${limit}`;
    case 'spend.rate':
      return `${name} was charged ${money(data.spend_usd)} within an hour, more than ${limit}`;
    case 'provider.down':
      return `${name} answers nothing: ${Number(data.failures ?? 0)} attempts failed within five minutes`;
    case 'provider.up':
      return `${name} answers again`;
    case 'destination.failing':
      return `Traces for ${name} are not taken: sending is paused`;
    case 'ledger.difference':
      return `The ledger differs from its entries in ${Number(data.differences ?? 0)} places`;
    case 'test':
      return 'A test: alerts arrive';
    default:
      return plain(type);
  }
}

/** Whether it tells of something good. */
export function isGood({ type }: Pick<Alert, 'type'>): boolean {
  return type === 'provider.up' || type === 'test';
}

function nameOf(object: unknown): string {
  if (typeof object !== 'object' || object === null) return '';
  for (const member of ['name', 'of', 'id']) {
    const value: unknown = Reflect.get(object, member);
    if (typeof value === 'string' && value !== '') return plain(value);
  }
  return '';
}

function intervalOf(object: unknown): string {
  const interval: unknown =
    typeof object === 'object' && object !== null ? Reflect.get(object, 'interval') : '';
  return typeof interval === 'string' && interval !== '' ? ` (${plain(interval)})` : '';
}

function money(value: unknown): string {
  return typeof value === 'number' ? usd(nanoOf(value)) : '–';
}

function part({ threshold }: Alert['data']): string {
  return typeof threshold === 'number' ? percent(threshold) : 'a part';
}
