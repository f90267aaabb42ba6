import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { isFetched, isMedia, type Medium, rewriteMedia } from './media-texts.ts';

const token = /["\d-]/g;
const number = /-?\d[\d.eE+-]*/y;

/**
 * JSON text with its strings and numbers replaced. Strings are read by a loop, because a pattern would remember every character of a long
 * one.
 * @param replace Gets a string with its quotes, or a number.
 */
export function replaceJsonTokens(json: string, replace: (token: string) => string): string {
  let replaced = '';
  let at = 0;
  token.lastIndex = 0;
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    const { index } = found;
    const end = found[0] === '"' ? endOfString(json, index) : endOfNumber(json, index);
    replaced += json.slice(at, index) + replace(json.slice(index, end));
    at = end;
    token.lastIndex = end;
  }
  return replaced + json.slice(at);
}

/** Behind the quote that closes a string. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
  return json.length;
}

function endOfNumber(json: string, start: number): number {
  number.lastIndex = start;
  return number.test(json) ? number.lastIndex : start + 1;
}

/** Where a text stands. */
export interface TextPlace {
  /** Whether the user wrote it. */
  readonly isUser: boolean;
  /** Whether it is a name or an id: other parts of the request refer to it, so it cannot be replaced. */
  readonly isName?: boolean;
  /** Whether it is the name of a member. */
  readonly isKey?: boolean;
  /** Whether no model reads it, such as what ends an answer: then it is no prompt injection. */
  readonly isUnseen?: boolean;
}

/** Gets the texts of a request in turn. */
export interface TextVisitor {
  /** Returns what to replace a text by: the same where it stays. */
  text(text: string, place: TextPlace): string;
  /** The same for texts that may become one text on their way to a model. At least two. */
  joined(texts: readonly string[], place: TextPlace): readonly string[];
}

/** A text that the user did not write. */
export const foreign: TextPlace = { isUser: false };
/** A text of the user. */
export const ofUser: TextPlace = { isUser: true };
/** A name, an id, or another word that must stay as it is. */
export const fixed: TextPlace = { isUser: false, isName: true };
/** The same of something that no model reads. */
export const unseen: TextPlace = { isUser: false, isName: true, isUnseen: true };

const key = { foreign: { isUser: false, isKey: true }, ofUser: { isUser: true, isKey: true } } as const;

/** Members of wire formats that only their maker can read. */
const sealed = new Set(['encrypted_content', 'encrypted_index', 'encrypted_stdout', 'signature']);
/** Members of wire formats that may hold media. */
const media: Readonly<Record<string, Medium['kind']>> = {
  image_url: 'image',
  imageUrl: 'image',
  imageB64: 'image',
  screenshotB64: 'image',
  result: 'image',
  video_url: 'video',
  audio_url: 'audio',
  file_url: 'file',
  file_data: 'file',
  data: 'file',
  url: 'file',
};
/** Members that hold an address which is fetched, and members whose `url` is one. */
const fetching = new Set(['image_url', 'video_url', 'audio_url', 'file_url', 'server_url']);
const holdsFetched = new Set(['source', 'image_url', 'video_url', 'audio_url', 'file', 'mcp_servers']);
/** Members of wire formats whose own members have any name: nothing in them is data by its name. */
const free = new Set([
  'input',
  'arguments',
  'parameters',
  'schema',
  'input_schema',
  'output_schema',
  'input_examples',
  'metadata',
  'attributes',
  'properties',
  'env',
  'value',
  'variables',
]);
/** Members that others refer to, or that decide what an object is. */
const named =
  /^(?:type|role|status|name|format|media_type|mime_type|server_label|serverLabel|toolName|tool_name|container)$|(?:^|_)ids?$/;
const outsideBase64 = /[^A-Za-z0-9+/=\s]/;
/** How deep the JSON of a seal is read. */
const mostLevels = 200;
/** What no seal is made of, and how long the shortest is; words of people have blanks or are shorter. */
const outsideSeal = /[^A-Za-z0-9+/=_.-]/;
const shortestSeal = 16;

/** Replaces the texts in objects whose members the canonical request does not know one by one. */
export class FreeObjects {
  readonly #visitor: TextVisitor;

  constructor(visitor: TextVisitor) {
    this.#visitor = visitor;
  }

  /** A schema, arguments, metadata: every member name and every value is text. */
  plain(object: JsonObject, place: TextPlace): JsonObject {
    return this.#object(object, place, (value) => this.#plainValue(value, place));
  }

  /**
   * An object of a wire format: media with the signature of their kind, seals, and addresses that are fetched stay unread in the
   * members that are for them; names and ids stay as they are.
   * @param parent The member that holds it.
   */
  wire(object: JsonObject, place: TextPlace, parent?: string): JsonObject {
    return this.#object(object, place, (value, name) => this.#wireValue(value, name, place, parent));
  }

  /** Values under names that the caller chose: texts, or parts of content. */
  values(object: JsonObject, place: TextPlace): JsonObject {
    return this.#object(object, place, (value) =>
      isObject(value) ? this.wire(value, place) : this.#plainValue(value, place),
    );
  }

  /** JSON text with the strings and numbers in it replaced, so that it stays JSON. Escapes of broken JSON are read too. */
  json(text: string, place: TextPlace = foreign): string {
    if (parseJson(text) === undefined) return this.#brokenJson(text, place);
    return replaceJsonTokens(text, (token) => {
      const value = token.startsWith('"') ? String(parseJson(token)) : token;
      const replaced = this.#visitor.text(value, place);
      return replaced === value ? token : JSON.stringify(replaced);
    });
  }

  /** What only its maker can read stays unread; what does not look so is read. */
  sealed(text: string): string {
    if (!isSeal(text)) this.#visitor.text(text, fixed);
    return text;
  }

  /** A member for media. @returns it with the texts in it replaced. */
  media(value: string, medium: Medium, place: TextPlace = foreign): string {
    return rewriteMedia(value, medium, (text, isFixed) => this.#visitor.text(text, isFixed ? fixed : place));
  }

  #brokenJson(text: string, place: TextPlace): string {
    const read = withoutEscapes(text);
    const replaced = this.#visitor.text(read, place);
    if (replaced !== read) return replaced;
    return read === text ? text : this.#visitor.text(text, place);
  }

  #object(
    object: JsonObject,
    place: TextPlace,
    rewrite: (value: unknown, name: string) => unknown,
  ): JsonObject {
    const keyPlace = place.isUser ? key.ofUser : key.foreign;
    let isChanged = false;
    const members: [string, unknown][] = [];
    for (const [name, value] of Object.entries(object)) {
      const newName = this.#visitor.text(name, keyPlace);
      const newValue = rewrite(value, name);
      isChanged ||= newName !== name || newValue !== value;
      members.push([newName, newValue]);
    }
    return isChanged ? Object.fromEntries(members) : object;
  }

  #plainValue(value: unknown, place: TextPlace): unknown {
    if (typeof value === 'string') return this.#visitor.text(value, place);
    if (typeof value === 'number') return this.#number(value, place);
    if (Array.isArray(value)) return mapped(value, (one) => this.#plainValue(one, place));
    return isObject(value) ? this.plain(value, place) : value;
  }

  #number(value: number, place: TextPlace): unknown {
    const text = String(value);
    const replaced = this.#visitor.text(text, place);
    return replaced === text ? value : replaced;
  }

  #wireValue(value: unknown, name: string, place: TextPlace, parent: string | undefined): unknown {
    if (typeof value === 'string') return this.#wireText(value, name, place, parent);
    if (free.has(name)) return this.#plainValue(value, place);
    if (typeof value === 'number') return this.#number(value, place);
    if (Array.isArray(value)) return this.#wireList(value, name, place, parent);
    return isObject(value) ? this.wire(value, place, name) : value;
  }

  /** Blocks of text in a list may become one text. */
  #wireList(
    list: readonly unknown[],
    name: string,
    place: TextPlace,
    parent: string | undefined,
  ): readonly unknown[] {
    const texts = list.flatMap((one) => (isObject(one) && typeof one.text === 'string' ? one.text : []));
    const read = texts.length > 1 ? this.#visitor.joined(texts, place) : texts;
    let next = 0;
    return mapped(list, (one) => {
      if (!isObject(one) || typeof one.text !== 'string') return this.#wireValue(one, name, place, parent);
      const text = read[next];
      next += 1;
      return this.wire(text === one.text ? one : { ...one, text }, place, name);
    });
  }

  #wireText(value: string, name: string, place: TextPlace, parent: string | undefined): string {
    if (sealed.has(name)) return this.#sealedText(value, place);
    if (name === 'arguments') return this.json(value, place);
    if (named.test(name)) return this.#visitor.text(value, fixed);
    const isAddress =
      fetching.has(name) || (name === 'url' && parent !== undefined && holdsFetched.has(parent));
    if (isAddress && isFetched(value)) return value;
    const kind = Object.hasOwn(media, name) ? media[name] : undefined;
    if (kind === undefined) return this.#visitor.text(value, place);
    return this.#wireMedia(value, kind, place);
  }

  /** The name alone does not say whether it is a medium or a text. */
  #wireMedia(value: string, kind: Medium['kind'], place: TextPlace): string {
    const isUrl = /^data:/i.test(value);
    const data = isUrl ? value.slice(value.indexOf(',') + 1) : value;
    const isData = data !== '' && !outsideBase64.test(data);
    if (isData && isMedia(data, kind)) return isUrl ? this.media(value, { kind }, place) : value;
    const replaced = this.#visitor.text(value, place);
    return isData && replaced === value ? this.media(value, { kind }, place) : replaced;
  }

  /** Some makers keep whole parts of an answer in the place of its seal, as JSON. */
  #sealedText(value: string, place: TextPlace): string {
    const mayBeJson = (value.startsWith('[') || value.startsWith('{')) && levelsOf(value) <= mostLevels;
    const read = mayBeJson ? parseJson(value) : undefined;
    if (!Array.isArray(read) && !isObject(read)) return this.sealed(value);
    const replaced = this.#wireValue(read, '', place, undefined);
    return replaced === read ? value : JSON.stringify(replaced);
  }
}

/** Whether a text looks like a seal. No pattern with a repeated group: that would take room with the length of the text. */
function isSeal(text: string): boolean {
  const padding = text.indexOf('=');
  return (
    text.length >= shortestSeal &&
    !outsideSeal.test(text) &&
    (padding === -1 || (text.length - padding <= 2 && text.endsWith('=')))
  );
}

/** How deep JSON is nested at most; more where brackets stand in its strings. */
function levelsOf(json: string): number {
  let level = 0;
  let most = 0;
  for (const [bracket] of json.matchAll(/[[\]{}]/g)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    most = Math.max(most, level);
  }
  return most;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^u]))/g, (_all, code?: string, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** A list with every element mapped; the same list where none changed. */
export function mapped<Element, Mapped>(
  list: readonly Element[],
  map: (element: Element) => Mapped,
): readonly (Element | Mapped)[] {
  let copy: (Element | Mapped)[] | undefined;
  for (const [index, element] of list.entries()) {
    const replaced = map(element);
    if (Object.is(replaced, element)) continue;
    copy ??= [...list];
    copy[index] = replaced;
  }
  return copy ?? list;
}

/** An object with some members replaced; the same object where all are as they were. */
export function changed<Whole extends object>(whole: Whole, members: Partial<Whole>): Whole {
  for (const key of Object.keys(members) as (keyof Whole)[]) {
    if (members[key] !== whole[key]) return { ...whole, ...members };
  }
  return whole;
}
