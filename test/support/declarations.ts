import { readFileSync } from 'node:fs';

/** A type of a declaration, as far as the declarations of `src/core` need one. */
export type DeclaredType =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'object' }
  | { readonly kind: 'literal'; readonly value: string | boolean }
  | { readonly kind: 'list' | 'record' | 'map'; readonly of: DeclaredType }
  | { readonly kind: 'union'; readonly of: readonly DeclaredType[] }
  | { readonly kind: 'members'; readonly of: readonly DeclaredMember[] }
  | { readonly kind: 'reference'; readonly name: string };

/** A member of an object. */
export interface DeclaredMember {
  readonly name: string;
  readonly type: DeclaredType;
}

/** An interface or a type with a name. */
export interface Declaration {
  /** Interfaces whose members it has too. */
  readonly bases: readonly string[];
  readonly type: DeclaredType;
}

const tokenPattern =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<token>'[^']*'|`[^`]*`|[A-Za-z_$][\w$]*|\d+|=>|\.\.\.|[^\s\w])/gy;

/** Reads what TypeScript files declare and export. @throws Error for a type of a form that it does not know. */
export function readDeclarations(files: readonly string[]): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const { index, 0: head } of text.matchAll(/^(?:export )?(?:interface|type) [A-Z]\w*/gm)) {
      const name = head.split(' ').at(-1) ?? '';
      found.set(name, new Reader(text.slice(index + head.length)).declaration());
    }
  }
  return found;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...text.matchAll(tokenPattern)].flatMap(({ groups }) => groups?.token ?? []);
  }

  declaration(): Declaration {
    const bases: string[] = [];
    if (this.#takes('=')) return { bases, type: this.#union() };
    if (this.#takes('extends')) {
      do bases.push(this.#next());
      while (this.#takes(','));
    }
    return { bases, type: this.#members() };
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  #takes(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Error(`Expected ${token}, found ${this.#peek()}.`);
  }

  #members(): DeclaredType {
    const of: DeclaredMember[] = [];
    this.#expect('{');
    while (!this.#takes('}')) {
      this.#takes('readonly');
      const name = this.#next();
      this.#takes('?');
      this.#expect(':');
      of.push({ name, type: this.#union() });
      this.#takes(';');
    }
    return { kind: 'members', of };
  }

  #union(): DeclaredType {
    this.#takes('|');
    const of = [this.#list()];
    while (this.#takes('|')) of.push(this.#list());
    const [only] = of;
    return of.length === 1 && only !== undefined ? only : { kind: 'union', of };
  }

  #list(): DeclaredType {
    this.#takes('readonly');
    let type = this.#single();
    while (this.#takes('[')) {
      // The type of the elements of a list of words.
      if (this.#takes('number')) type = { kind: 'literal', value: 'word' };
      else type = { kind: 'list', of: type };
      this.#expect(']');
    }
    return type;
  }

  #single(): DeclaredType {
    if (this.#peek() === '{') return this.#members();
    if (this.#takes('(')) {
      const type = this.#union();
      this.#expect(')');
      return type;
    }
    const word = this.#next();
    if (word.startsWith("'") || word.startsWith('`')) return { kind: 'literal', value: word.slice(1, -1) };
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
    if (word === 'string' || word === 'number' || word === 'boolean') return { kind: word };
    if (word === 'JsonObject') return { kind: 'object' };
    if (word === 'typeof') return { kind: 'reference', name: this.#next() };
    if (word === 'Readonly' || word === 'Record' || word === 'ReadonlyMap') return this.#generic(word);
    if (/^[A-Z]\w*$/.test(word) && this.#peek() !== '<') return { kind: 'reference', name: word };
    throw new Error(`The type ${word}${this.#peek()} is not known here.`);
  }

  #generic(word: string): DeclaredType {
    this.#expect('<');
    const first = this.#union();
    const of = word !== 'Readonly' && this.#takes(',') ? this.#union() : first;
    this.#expect('>');
    if (word === 'Readonly') return of;
    return { kind: word === 'Record' ? 'record' : 'map', of };
  }
}
