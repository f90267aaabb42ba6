import { nanoFromInteger } from '../../core/money.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { text } from '../../util/json-schema.ts';

/** An exact amount in nano-USD, as decimal text. */
export const nano = text({ pattern: '^-?\\d+$', description: 'nano-USD, exact' });

/** The same above zero, as a body gives it. */
export const positiveNano = withUnit(
  unit('nano-USD', 'a whole number of nano-USD above zero, as text', (given) => {
    if (!/^[1-9]\d{0,18}$/.test(given)) throw new RangeError('is no whole number above zero');
    return nanoFromInteger(BigInt(given));
  }),
  text({ description: 'nano-USD: "5000000000" is 5 USD' }),
);
