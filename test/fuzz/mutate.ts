/** Numbers from 0 until below 1, the same ones for the same seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function nested(depth: number): Json {
  let value: Json = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const junk: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 1e-320, '', ' ', 'a', '\u0000', '\ud800', '😀'],
  ...[
    'x'.repeat(70_000),
    '../../etc/passwd',
    "' or 1=1 --",
    '%00',
    'data:image/png;base64,AAAA',
    'http://[::1]/',
  ],
  ...['__proto__', 'constructor', 'NaN', '1e999', '@preset/x', 'service/auto', 'sandbox/echo:free'],
  [],
  {},
  [[]],
  [null],
  [{}],
  { type: 'message' },
  { type: 'text' },
  { type: 'function' },
  nested(40),
  nested(400),
];
const names = [
  'type',
  'role',
  'content',
  'id',
  'name',
  'arguments',
  'call_id',
  '__proto__',
  'toString',
  'cache_control',
];

/** A body as a client might send it that is broken, old, new or hostile: JSON in which some places were changed, or text that is none. */
export function mutate(body: object, random: () => number): string {
  const copy: Json = JSON.parse(JSON.stringify(body));
  const changes = 1 + Math.floor(random() * 3);
  for (let made = 0; made < changes; made += 1) changeOne(copy, random);
  const text = JSON.stringify(copy);
  return random() < 0.05 ? damage(text, random) : text;
}

const pick = <Value>(from: readonly Value[], random: () => number): Value | undefined =>
  from[Math.floor(random() * from.length)];

function changeOne(root: Json, random: () => number): void {
  const places: [Json[] | { [key: string]: Json }, string][] = [];
  const walk = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value, key]);
      walk((value as { [key: string]: Json })[key] ?? null);
    }
  };
  walk(root);
  const [parent, key] = pick(places, random) ?? [];
  if (parent === undefined || key === undefined) return;
  const holder = parent as { [key: string]: Json };
  const other = pick(places, random);
  const chance = random();
  if (chance < 0.5) holder[key] = structuredClone(pick(junk, random) ?? null);
  else if (chance < 0.65) delete holder[key];
  else if (chance < 0.8) holder[pick(names, random) ?? 'x'] = structuredClone(pick(junk, random) ?? null);
  else if (other !== undefined) {
    const [from, at] = other;
    holder[key] = structuredClone((from as { [key: string]: Json })[at] ?? null);
  }
}

/** Bytes lost, doubled or replaced. */
function damage(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const rest = text.slice(at + Math.floor(random() * 5));
  return (
    text.slice(0, at) +
    (pick(['', '"', '{', ',', '\\', '\u0001', text.slice(at, at + 9)], random) ?? '') +
    rest
  );
}
