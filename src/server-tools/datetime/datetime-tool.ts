import { HeadgateError } from '../../core/errors.ts';
import { Type } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';
import { formatInZone } from './format-in-zone.ts';

const type = 'service:datetime';
const { definition } = toolFunction(
  type,
  'Tells the current date and time.',
  Type.Object({}, { additionalProperties: false }),
);

/** `service:datetime`: the time of the gateway's clock, in the time zone of the entry (docs/spec/server-tools.md#date-and-time). */
export function datetimeTool(now: () => number = Date.now): ServerTool {
  return {
    type,
    concerns: (request) => entryOf(request, type) !== undefined,
    offer(request) {
      const { timezone = 'UTC' } = entryOf(request, type)?.settings ?? {};
      const zone = String(timezone);
      if (!isZone(zone)) {
        const problem = `tools: ${type} has no time zone ${JSON.stringify(zone)}; use an IANA name such as Europe/Berlin`;
        throw new HeadgateError('invalid_request', problem);
      }
      return [
        {
          type,
          definition,
          idPrefix: 'dt_',
          async run() {
            const fields = { datetime: formatInZone(now(), zone), timezone: zone };
            return { output: JSON.stringify(fields), fields };
          },
          failed: () => ({ datetime: formatInZone(now(), zone), timezone: zone }),
        },
      ];
    },
  };
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
