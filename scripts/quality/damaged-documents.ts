import type { SeededRandom } from './seeded-random.ts';

/** A document, and the text in which a model would have written it. */
export interface DamagedDocument {
  readonly fault: string;
  readonly value: unknown;
  readonly text: string;
}

type Damage = (json: string, value: unknown, random: SeededRandom) => string;

const keys = [
  'name',
  'age',
  'tags',
  'city',
  'is_open',
  'price',
  'items',
  'note',
  'first name',
  'größe',
  'x-id',
];
const texts = [
  'Oslo',
  "it's late",
  'a "quoted" word',
  'two\nlines',
  '50 % off, today only',
  'see http://example.com/a?b=1',
  'curly { and } inside',
  'naïve 東京 🙂',
  '',
  'ends with a comma,',
];

/** What models do wrong with JSON, by name. Nothing of the values is lost, so that each can be restored. */
export const damages: Readonly<Record<string, Damage>> = {
  'code fence': (json) => `\`\`\`json\n${json}\n\`\`\``,
  'fence without an end': (json) => `\`\`\`json\n${json}`,
  'sentence before': (json) => `Here is the result you asked for:\n\n${json}`,
  'sentence behind': (json) => `${json}\n\nLet me know if you need anything else!`,
  'sentences and a fence': (json) => `Sure! Here it is:\n\`\`\`\n${json}\n\`\`\`\nHope that helps.`,
  'trailing commas': (json) => json.replace(/(?<=["\w\]}])(?=\n\s*[}\]])/g, ','),
  'missing last brackets': (json) => json.replace(/[\s}\]]+$/, ''),
  'unquoted keys': (json) => json.replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:'),
  'single quotes': (_json, value) => withSingleQuotes(value),
  'words of Python': (json) =>
    json.replace(/(?<=[:\s[])(true|false|null)(?=\s*[,\n\]}])/g, (word) =>
      word === 'null' ? 'None' : word === 'true' ? 'True' : 'False',
    ),
  'line comments': (json, _value, random) =>
    json.replace(/,$/gm, () => (random.chance(0.5) ? ', // as requested' : ',')),
  'block comments': (json, _value, random) =>
    json.replace(/,$/gm, () => (random.chance(0.5) ? ', /* checked */' : ',')),
  'missing commas between lines': (json, _value, random) =>
    json.replace(/,$/gm, () => (random.chance(0.5) ? '' : ',')),
  'raw line breaks in texts': (json) => json.replaceAll('\\n', '\n'),
  'typographic quotes': (json) => json.replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1“$2”:'),
  'escaped as a whole': (json) => json.replaceAll('\\', '\\\\').replaceAll('"', '\\"'),
};

/** Documents with a fault each, the faults in turn. */
export function damagedDocuments(count: number, random: SeededRandom): readonly DamagedDocument[] {
  const names = Object.keys(damages);
  const documents: DamagedDocument[] = [];
  for (let at = 0; documents.length < count; at += 1) {
    const fault = names[at % names.length] ?? '';
    const value = someObject(random, 3);
    const json = JSON.stringify(value, undefined, 2);
    const text = damages[fault]?.(json, value, random) ?? json;
    // Some documents have nothing that a fault could break.
    if (text !== json) documents.push({ fault, value, text });
  }
  return documents;
}

function someObject(random: SeededRandom, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let count = random.whole(1, 6); count > 0; count -= 1)
    object[random.pick(keys)] = someValue(random, depth - 1);
  return object;
}

function someValue(random: SeededRandom, depth: number): unknown {
  const kind = random.whole(0, depth > 0 ? 6 : 4);
  if (kind <= 1) return random.pick(texts);
  if (kind === 2) return random.pick([0, -1, 12.5, 1e21, 12_345, 0.001]);
  if (kind === 3) return random.chance(0.5);
  if (kind === 4) return null;
  if (kind === 5) return someObject(random, depth);
  return Array.from({ length: random.whole(0, 4) }, () => someValue(random, depth - 1));
}

function withSingleQuotes(value: unknown): string {
  if (typeof value === 'string') {
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  }
  if (Array.isArray(value)) return `[${value.map(withSingleQuotes).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${withSingleQuotes(key)}: ${withSingleQuotes(member)}`)
    .join(', ')}}`;
}
