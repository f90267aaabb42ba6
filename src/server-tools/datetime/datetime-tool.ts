import { HeadgateError } from '../../core/errors.ts';
import { Type } from '../../util/json-schema.ts';
import { zoneName, zoneOffsets } from '../../util/local-days.ts';
import { toolFunction } from '../function-definition.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';

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

/**
 * A moment as ISO 8601 with milliseconds and the offset of a time zone; `Z` for UTC.
 * @param at Unix milliseconds. @param zone An IANA name. @throws RangeError for another name.
 */
function formatInZone(at: number, zone: string): string {
  const offset = zoneOffsets(zone)(at);
  const minutes = Math.round(offset / 60_000);
  const text = new Date(at + offset).toISOString().slice(0, -1);
  if (minutes === 0 && zoneName(zone) === 'UTC') return `${text}Z`;
  const sign = minutes < 0 ? '-' : '+';
  const size = Math.abs(minutes);
  return `${text}${sign}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
