import { chatQuirksSchema } from '../core/chat-quirks.ts';
import { describeAllowed } from '../schema/describe-allowed.ts';
import { compileFaultFinder } from '../schema/fault-finder.ts';
import type { TSchema } from '../util/json-schema.ts';
import { remedyFor } from './nearest.ts';
import type { Reading } from './reading.ts';

const quirkSchemas = chatQuirksSchema.properties ?? {};
const known = Object.keys(quirkSchemas);

/**
 * Checks the quirks of a provider that speaks chat completions: their names and values are one closed record. Other
 * dialects look at their own few.
 */
export function checkQuirks(
  path: string,
  adapter: string,
  quirks: Readonly<Record<string, unknown>>,
  reading: Reading,
): void {
  if (adapter !== 'openai-chat') return;
  for (const [name, value] of Object.entries(quirks)) {
    const field = quirkSchemas[name];
    const inner = `${path}.quirks.${name}`;
    if (field === undefined) {
      reading.problem(inner, {
        problem: 'unknown key',
        allowed: known.join(', '),
        remedy: remedyFor(name, known, 'remove it'),
      });
    } else if (compileFaultFinder(field)?.(value) !== undefined) {
      reading.problem(inner, {
        problem: 'the value does not fit',
        allowed: describeValue(field),
        remedy: 'correct the value',
      });
    }
  }
}

function describeValue(field: TSchema): string {
  const words = field.items?.enum;
  return words === undefined ? describeAllowed(field) : `a list of ${words.join(', ')}`;
}
