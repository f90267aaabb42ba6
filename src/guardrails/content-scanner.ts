import { HeadgateError } from '../core/errors.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import {
  type IsolatedTask,
  type IsolationOutcome,
  type IsolationProblem,
  isolatedTask,
} from '../isolation/isolated-task.ts';
import type { PatternProblem } from './custom-pattern.ts';
import { type FoundPatterns, mostPatternWork, type PatternJob, type PatternReport } from './find-patterns.ts';
import type { FilterSpan, ScannedText, ScanResult, ScanRules } from './scan-rules.ts';
import { type ScanJob, scanTexts } from './scan-texts.ts';

/** For whom texts are scanned. */
export interface ScanAsker {
  /** The account: accounts take turns. */
  readonly owner: string;
  /** Aborted when the request is. */
  readonly signal?: AbortSignal | undefined;
}

/** What scans the texts of a request. */
export interface TextScanner {
  /**
   * @throws HeadgateError `service_unavailable` when the texts cannot be scanned in time; `invalid_request` when that takes more
   *   than may be spent on a request.
   */
  scan(texts: readonly ScannedText[], rules: ScanRules, asker: ScanAsker): ScanResult | Promise<ScanResult>;
  /**
   * The first pattern of a guardrail that is no filter, or makes it too large; undefined when all can be used.
   * @throws HeadgateError `service_unavailable` when they cannot be compiled now.
   */
  checkPatterns(patterns: readonly string[], asker: ScanAsker): Promise<PatternProblem | undefined>;
}

/** Bounds of scans. */
export interface ScannerLimits {
  /** Texts of up to so many characters in all are scanned by built-in detectors at once, longer ones in a child process. */
  readonly inline: number;
  /** Milliseconds that a child process may take for the built-in detectors. */
  readonly time: number;
  /** Milliseconds that child processes may take for the patterns of a request together. */
  readonly patternTime: number;
  /** Milliseconds that a child process may take to compile the patterns of a guardrail. */
  readonly compileTime: number;
}

const usualLimits: ScannerLimits = { inline: 16_384, time: 10_000, patternTime: 3_000, compileTime: 3_000 };

const textsTask = isolatedTask<ScanJob, ScanResult>(import.meta.url, './scan-texts', 'scanJob');
const patternsTask = isolatedTask<PatternJob, PatternReport>(
  import.meta.url,
  './find-patterns',
  'findPatterns',
);
const compileTask = isolatedTask<readonly string[], PatternProblem | undefined>(
  import.meta.url,
  './custom-pattern',
  'compileProblemOf',
);

/** Bytes at which a child process forgets what patterns have cached. */
const cacheBound = 160 * 1024 * 1024;
/** Matches of patterns in one request that are replaced one by one; where there are more, the text is replaced as a whole. */
const mostMatches = 20_000;

/**
 * Scans short texts by the built-in detectors at once. Customers' patterns, and longer texts, are scanned in child processes, so
 * that they stop no other request (docs/spec/guardrails.md#cost).
 */
export class ContentScanner implements TextScanner {
  readonly #processes: Pick<IsolatedProcesses, 'run'>;
  readonly #limits: ScannerLimits;

  constructor(processes: Pick<IsolatedProcesses, 'run'>, limits: Partial<ScannerLimits> = {}) {
    this.#processes = processes;
    this.#limits = { ...usualLimits, ...limits };
  }

  scan(texts: readonly ScannedText[], rules: ScanRules, asker: ScanAsker): ScanResult | Promise<ScanResult> {
    const length = lengthOf(texts);
    const hasPatterns = rules.filters.some(({ what }) => what.kind === 'pattern');
    if (!hasPatterns && length <= this.#limits.inline) return scanTexts(texts, rules);
    return this.#scanApart(texts, rules, hasPatterns, length, asker);
  }

  async checkPatterns(patterns: readonly string[], asker: ScanAsker): Promise<PatternProblem | undefined> {
    const outcome = await this.#run(compileTask, patterns, {
      length: patterns.join('').length,
      asker,
      time: this.#limits.compileTime,
    });
    if ('result' in outcome) return outcome.result;
    if (outcome.problem === 'busy')
      throw new HeadgateError('service_unavailable', 'Too many patterns are being checked.', {
        retryAfter: 1,
      });
    return {
      index: patterns.length - 1,
      problem:
        'and the ones before it take too much time or memory to compile; use fewer or smaller counts such as {0,1000}',
    };
  }

  async #scanApart(
    texts: readonly ScannedText[],
    rules: ScanRules,
    hasPatterns: boolean,
    length: number,
    asker: ScanAsker,
  ): Promise<ScanResult> {
    const found = hasPatterns ? await this.#findPatterns(texts, rules, length, asker) : texts;
    if (length <= this.#limits.inline) return scanTexts(found, rules);
    const outcome = await this.#run(
      textsTask,
      { texts: found, rules },
      { length, asker, time: this.#limits.time },
    );
    if ('result' in outcome) return outcome.result;
    throw notScanned(outcome.problem);
  }

  /** The texts with what customers' patterns find in them. */
  async #findPatterns(
    texts: readonly ScannedText[],
    { filters }: ScanRules,
    length: number,
    asker: ScanAsker,
  ): Promise<readonly ScannedText[]> {
    const job = {
      texts: texts.map(({ text }) => text),
      patterns: filters.flatMap(({ what, action }, filter) =>
        what.kind === 'pattern' ? [{ pattern: what.pattern, filter, reportsAll: action === 'redact' }] : [],
      ),
      memory: cacheBound,
    };
    const matches = new Matches(texts);
    let left = this.#limits.patternTime;
    let from: number | undefined = 0;
    while (from !== undefined) {
      if (left <= 0) throw notScanned('too_slow');
      const report = await this.#findSome({ ...job, from }, { length, asker, time: left });
      matches.add(report.found);
      from = report.next;
      left -= report.took;
    }
    return matches.texts;
  }

  async #findSome(job: PatternJob, bounds: RunBounds): Promise<FoundPatterns> {
    const outcome = await this.#run(patternsTask, job, bounds);
    if ('problem' in outcome) throw notScanned(outcome.problem);
    const { result } = outcome;
    if ('tooMuch' in result) throw tooMuch(result.tooMuch);
    return result;
  }

  #run<Input, Result>(
    task: IsolatedTask<Input, Result>,
    input: Input,
    { length, asker, time }: RunBounds,
  ): Promise<IsolationOutcome<Result>> {
    const { owner, signal } = asker;
    // Two bytes a character.
    return this.#processes.run(task, input, { time, owner, bytes: 2 * length, ...(signal && { signal }) });
  }
}

/** Characters of the input, for whom it runs, and the milliseconds it may take. */
interface RunBounds {
  readonly length: number;
  readonly asker: ScanAsker;
  readonly time: number;
}

/** What patterns have matched in the texts of a request. */
class Matches {
  readonly #texts: readonly ScannedText[];
  readonly #found: FilterSpan[][];
  /** By text, the filters that replace it as a whole. */
  readonly #whole = new Map<number, Set<number>>();
  #count = 0;

  constructor(texts: readonly ScannedText[]) {
    this.#texts = texts;
    this.#found = texts.map(() => []);
  }

  /** @param found Four numbers a match, as `PatternReport` has them. */
  add(found: Uint32Array): void {
    for (let at = 0; at < found.length; at += 4) {
      const [text = 0, filter = 0, start = 0, end = 0] = found.subarray(at, at + 4);
      this.#count += 1;
      if (this.#count <= mostMatches) this.#found[text]?.push({ start, end, filter });
      else this.#replaceWhole(text, filter);
    }
  }

  #replaceWhole(text: number, filter: number): void {
    const filters = this.#whole.get(text) ?? new Set();
    this.#whole.set(text, filters);
    if (filters.has(filter)) return;
    filters.add(filter);
    this.#found[text]?.push({ start: 0, end: this.#texts[text]?.text.length ?? 0, filter });
  }

  get texts(): readonly ScannedText[] {
    return this.#texts.map((scanned, index) => {
      const found = this.#found[index] ?? [];
      return found.length === 0 ? scanned : { ...scanned, found: [...(scanned.found ?? []), ...found] };
    });
  }
}

function lengthOf(texts: readonly ScannedText[]): number {
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

function notScanned(problem: IsolationProblem): HeadgateError {
  const why = {
    busy: 'as many requests as may wait are being scanned',
    too_slow: 'it took too long',
    too_large: 'it took too much memory',
    failed: 'the scan broke off',
  }[problem];
  const message = `The guardrails of this request could not scan it: ${why}.`;
  return new HeadgateError('service_unavailable', message, { retryAfter: 1 });
}

function tooMuch(work: number): HeadgateError {
  const message =
    `The texts of this request are too long for the patterns of its guardrails: states times characters are ${work}, ` +
    `at most ${mostPatternWork} are scanned. Send less text, or use fewer or simpler patterns.`;
  return new HeadgateError('invalid_request', message);
}
