/** Deeper groups are left alone, so that no pattern exhausts the stack. */
const deepestGroup = 50;
/** How often a repetition is lengthened until a text is long enough. */
const mostLengthening = 200;

/** Characters to choose from where a class says which ones it is not. */
const candidates = ['a', 'A', '0', '-', ' ', '_', '.', '~', '\u00e4', '\u4e2d'];

type Range = readonly [first: number, last: number];

const digits: readonly Range[] = [[48, 57]];
const wordCharacters: readonly Range[] = [[97, 122], [65, 90], ...digits, [95, 95]];
const spaces: readonly Range[] = [
  [32, 32],
  [9, 13],
];

const classes: ReadonlyMap<string, readonly Range[]> = new Map([
  ['d', digits],
  ['w', wordCharacters],
  ['s', spaces],
]);

const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
]);

/** What a text must be besides matching. */
export interface TextBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * A text that matches a regular expression, made without running it: literals, classes, groups, alternatives and
 * repetitions, as short as the bounds allow.
 * @param spend told what making costs, about a unit a character; it may throw.
 * @returns undefined for what is none, looks around or back, or cannot be that long or short.
 */
export function fitPattern(
  pattern: string,
  { least, most }: TextBounds,
  spend: (work: number) => void,
): string | undefined {
  for (let repeats = 0; repeats <= Math.min(least, mostLengthening); repeats += 1) {
    spend(pattern.length);
    const text = new PatternWriter(pattern, repeats, spend).write();
    if (text === undefined || text.length > most) return undefined;
    if (text.length >= least) return text;
  }
  return undefined;
}

class Unwritable extends Error {
  override readonly name = 'Unwritable';
}

/** Reads an expression from left to right and writes what matches what was read. */
class PatternWriter {
  readonly #pattern: readonly string[];
  readonly #repeats: number;
  readonly #spend: (work: number) => void;
  #at = 0;

  constructor(pattern: string, repeats: number, spend: (work: number) => void) {
    this.#pattern = [...pattern];
    this.#repeats = repeats;
    this.#spend = spend;
  }

  write(): string | undefined {
    try {
      const text = this.#alternatives(0);
      return this.#at === this.#pattern.length ? text : undefined;
    } catch (error) {
      if (error instanceof Unwritable) return undefined;
      throw error;
    }
  }

  /** The first of several; the others are read all the same. */
  #alternatives(depth: number): string {
    if (depth > deepestGroup) throw new Unwritable();
    const first = this.#sequence(depth);
    while (this.#take('|')) this.#sequence(depth);
    return first;
  }

  #sequence(depth: number): string {
    let text = '';
    while (this.#at < this.#pattern.length && this.#next !== '|' && this.#next !== ')') {
      const one = this.#term(depth);
      const count = this.#count();
      this.#spend(one.length * count);
      text += one.repeat(count);
    }
    return text;
  }

  #term(depth: number): string {
    const sign = this.#step();
    if (sign === '^' || sign === '$') return '';
    if (sign === '.') return 'a';
    if (sign === '[') return this.#class();
    if (sign === '\\') return this.#escape();
    if (sign !== '(') return sign;
    if (this.#take('?') && !this.#take(':')) this.#groupName();
    const text = this.#alternatives(depth + 1);
    if (!this.#take(')')) throw new Unwritable();
    return text;
  }

  #groupName(): void {
    if (!this.#take('<') || this.#next === '=' || this.#next === '!') throw new Unwritable();
    while (this.#step() !== '>');
  }

  /** How often what was just read is written. */
  #count(): number {
    const [least, most] = this.#bounds();
    if (least < most) this.#take('?');
    return Math.min(most, Math.max(least, this.#repeats));
  }

  #bounds(): readonly [number, number] {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    if (this.#next !== '{') return [1, 1];
    const end = this.#pattern.indexOf('}', this.#at);
    const [, least, comma, most] =
      /^\{(\d{1,9})(,?)(\d{0,9})$/.exec(this.#pattern.slice(this.#at, end).join('')) ?? [];
    if (end < 0 || least === undefined) throw new Unwritable();
    this.#at = end + 1;
    if (comma === '') return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }

  #class(): string {
    const isInverse = this.#take('^');
    const ranges: Range[] = [];
    while (this.#next !== ']') ranges.push(...this.#member());
    this.#at += 1;
    if (isInverse) return characterOutside(ranges);
    const [first] = ranges;
    if (first === undefined) throw new Unwritable();
    return String.fromCodePoint(first[0]);
  }

  #member(): readonly Range[] {
    const first = this.#classPart();
    const isRange = this.#next === '-' && this.#pattern[this.#at + 1] !== ']' && typeof first === 'string';
    if (!isRange) return typeof first === 'string' ? [rangeOf(first, first)] : first;
    this.#at += 1;
    const last = this.#classPart();
    if (typeof last !== 'string') throw new Unwritable();
    return [rangeOf(first, last)];
  }

  #classPart(): string | readonly Range[] {
    const sign = this.#step();
    if (sign !== '\\') return sign;
    const known = classes.get(this.#next ?? '');
    if (known === undefined) return this.#next === 'b' ? this.#step() && '\b' : this.#escape();
    this.#at += 1;
    return known;
  }

  /** What stands after a backslash. */
  #escape(): string {
    const sign = this.#step();
    if (sign === 'b' || sign === 'B') return '';
    const ranges = classes.get(sign.toLowerCase());
    if (ranges !== undefined)
      return sign === sign.toLowerCase()
        ? String.fromCodePoint(ranges[0]?.[0] ?? 97)
        : characterOutside(ranges);
    const control = controls.get(sign);
    if (control !== undefined) return control;
    if (sign === 'x') return this.#codePoint(2);
    if (sign === 'u') return this.#codePoint(4);
    // Back references, classes by property, control letters.
    if (/[A-Za-z0-9]/.test(sign)) throw new Unwritable();
    return sign;
  }

  #codePoint(length: number): string {
    const text = this.#pattern.slice(this.#at, this.#at + length).join('');
    if (!/^[0-9A-Fa-f]+$/.test(text) || text.length !== length) throw new Unwritable();
    this.#at += length;
    return String.fromCharCode(Number.parseInt(text, 16));
  }

  get #next(): string | undefined {
    return this.#pattern[this.#at];
  }

  #take(sign: string): boolean {
    if (this.#next !== sign) return false;
    this.#at += 1;
    return true;
  }

  #step(): string {
    const sign = this.#next;
    if (sign === undefined) throw new Unwritable();
    this.#at += 1;
    return sign;
  }
}

function rangeOf(first: string, last: string): Range {
  return [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
}

function characterOutside(ranges: readonly Range[]): string {
  const found = candidates.find((character) => {
    const code = character.codePointAt(0) ?? 0;
    return ranges.every(([first, last]) => code < first || code > last);
  });
  if (found === undefined) throw new Unwritable();
  return found;
}
