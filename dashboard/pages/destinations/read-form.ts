import type {
  CreateDestination,
  Destination,
  DestinationFilterRules,
  DestinationType,
} from '../../../clients/headgate-api.ts';

type Config = Readonly<Record<string, unknown>>;

/** What a form of a destination says. @throws Error in words for what is wrong with it. */
export function readDestinationForm(
  data: FormData,
  { fields }: DestinationType,
): Omit<CreateDestination, 'type' | 'workspace_id'> {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const headers = readHeaders(text('headers'));
  const given = fields.flatMap(({ name }) => {
    const value = text(`config.${name}`);
    return value === '' ? [] : [[name, value] as const];
  });
  return {
    name: text('name'),
    config: { ...Object.fromEntries(given), ...(headers !== undefined && { headers }) },
    privacy_mode: !data.has('says'),
    broadcast_generation_cost: data.has('cost'),
    broadcast_generation_identity: data.has('identity'),
    broadcast_generation_request_context: data.has('context'),
    sampling_rate: readShare(text('share')),
    api_key_hashes: readHashes(data),
    filter_rules: readRules(text('rules')),
  };
}

/**
 * The config as a change sends it; undefined where nothing in it was changed, so that the destination is not tested for a new
 * name. What was emptied is null.
 */
export function changedConfig(asked: Config, { config }: Destination): Config | undefined {
  const gone = Object.keys(config).filter((name) => !(name in asked));
  const next = { ...asked, ...Object.fromEntries(gone.map((name) => [name, null])) };
  const isSame =
    gone.length === 0 &&
    Object.entries(asked).every(([name, value]) => JSON.stringify(value) === JSON.stringify(config[name]));
  return isSame ? undefined : next;
}

/** Headers as lines of a field. */
export function headerLines({ headers }: Config): string {
  if (typeof headers !== 'object' || headers === null) return '';
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  if (text === '') return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
      if (name === '') throw new Error(`A header is written as "name: value", not as "${line}".`);
      return [name.trim(), value.trim()];
    }),
  );
}

/** A share in percent, as the part of one. */
function readShare(text: string): number {
  const share = Number(text.replace(/%$/, ''));
  if (text === '' || !(share >= 0.01 && share <= 100))
    throw new Error('The part of sessions is between 0.01 and 100 percent.');
  return share / 100;
}

function readHashes(data: FormData): readonly string[] | null {
  const hashes = data.getAll('key').map(String);
  return hashes.length === 0 ? null : hashes;
}

function readRules(text: string): DestinationFilterRules | null {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('The filters cannot be read as JSON.', { cause });
  }
}
