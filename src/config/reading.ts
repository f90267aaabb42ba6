import { type Document, isAlias, isScalar, type LineCounter, type Node, Scalar } from 'yaml';
import type { Environment } from '../util/environment.ts';
import type { ConfigProblem, Position } from './config-error.ts';

/**
 * One pass over a configuration document: where its nodes stand, and the problems and warnings found so
 * far. Nodes laid over the document from elsewhere (environment, command line) carry their own position.
 */
export class Reading {
  readonly environment: Environment;
  readonly problems: ConfigProblem[] = [];
  readonly warnings: string[] = [];
  /** The folder that relative names of secret files start from. */
  readonly directory: string;
  readonly #callsNoProvider: boolean;
  readonly #document: Document;
  readonly #source: string;
  readonly #lines: LineCounter;
  readonly #overlays: WeakMap<object, Position>;
  readonly #positions = new Map<string, Position>();

  constructor(options: {
    document: Document;
    source: string;
    directory: string;
    lines: LineCounter;
    overlays: WeakMap<object, Position>;
    environment: Environment;
    callsNoProvider?: boolean;
  }) {
    this.environment = options.environment;
    this.directory = options.directory;
    this.#callsNoProvider = options.callsNoProvider === true;
    this.#document = options.document;
    this.#source = options.source;
    this.#lines = options.lines;
    this.#overlays = options.overlays;
  }

  /** The node itself, an alias replaced by what it stands for; undefined for nothing and for null. */
  resolve(node: unknown): Node | undefined {
    const resolved = isAlias(node) ? node.resolve(this.#document) : node;
    if (resolved === undefined || resolved === null) return undefined;
    if (isScalar(resolved) && (resolved.value === null || resolved.value === undefined)) return undefined;
    return resolved as Node;
  }

  /** A node for a text that does not stand in the file itself but belongs at `position`. */
  overlay(text: string, position: Position): Scalar {
    const node = new Scalar(text);
    this.#overlays.set(node, position);
    return node;
  }

  /** Whether the value came as text from outside the file and so has no type of its own. */
  isOverlay(node: object): boolean {
    return this.#overlays.has(node);
  }

  /** Remembers where the value at `path` stands. */
  mark(path: string, node: object | undefined): void {
    if (node !== undefined) this.#positions.set(path, this.#positionOf(node));
  }

  /** Where values stand, by their dotted keys. */
  get positions(): ReadonlyMap<string, Position> {
    return this.#positions;
  }

  /** Where the value at `path` stands, or the nearest thing around it. */
  locate(path: string): Position {
    const found = this.#positions.get(path);
    if (found !== undefined) return found;
    if (path === '') return { source: this.#source };
    return this.locate(path.replace(/(\.?[^.[]+|\[\d+\])$/, ''));
  }

  /** Whether the secret at `path` may be missing, because nobody will be shown it. */
  isNeedless(path: string): boolean {
    return this.#callsNoProvider && path.startsWith('providers.');
  }

  /** Notes a mistake; `at` is the node or path it stands at when that differs from `path`. */
  problem(path: string, what: Omit<ConfigProblem, 'position' | 'path'>, at?: object): void {
    const position = at === undefined ? this.locate(path) : this.#positionOf(at);
    this.problems.push({ position, path, ...what });
  }

  /** Whether a mistake was noted at `path` already, so that nothing more need be said of it. */
  hasProblemAt(path: string): boolean {
    return this.problems.some((problem) => problem.path === path);
  }

  /** Notes something that works but should not stay. */
  warn(path: string, text: string): void {
    const { source, line } = this.locate(path);
    this.warnings.push(`${line === undefined ? source : `${source}:${line}`}: ${path}: ${text}`);
  }

  #positionOf(node: object): Position {
    const overlay = this.#overlays.get(node);
    if (overlay !== undefined) return overlay;
    const range = 'range' in node && Array.isArray(node.range) ? Number(node.range[0]) : undefined;
    if (range === undefined) return { source: this.#source };
    return { source: this.#source, line: this.#lines.linePos(range).line };
  }
}

/** The path of a key inside a map. */
export function keyPath(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}
