import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { CanonicalRequest, ContentPart, Item } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import type { GuardrailSource, Guardrails } from '../../guardrails/guardrail-directory.ts';
import { judgeScan, type ScanVerdict } from '../../guardrails/judge-scan.ts';
import { rewriteTexts } from '../../guardrails/rewrite-texts.ts';
import type { ScannedText } from '../../guardrails/scan-rules.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Stage, StageContext, StageRun } from '../stage.ts';

/** What a scan of requests needs. */
export interface InputScanServices {
  readonly guardrails: GuardrailSource;
  readonly scanner: TextScanner;
}

/**
 * The content filters of guardrails (docs/spec/guardrails.md#content-filters): scans every text of a request as it was sent, and what
 * the gateway's tools add to it, then blocks, redacts or reports.
 */
export function createInputScan({ guardrails, scanner }: InputScanServices): Stage {
  return {
    place: 'input-scan',
    guardsCounts: true,
    begin(_request, caller) {
      const found = guardrails.of(caller);
      return found === undefined || found.filters.length === 0 ? undefined : new InputScan(found, scanner);
    },
  };
}

interface Scanned {
  readonly canonical: CanonicalRequest;
  readonly verdict: ScanVerdict;
}

class InputScan implements StageRun {
  readonly #guardrails: Guardrails;
  readonly #scanner: TextScanner;
  /** Parts that were scanned for another stage. */
  readonly #seenParts = new WeakSet<ContentPart>();
  /** Items that were scanned, with what they became. */
  readonly #seen = new WeakMap<Item, Item>();
  readonly entries: PipelineEntry[] = [];

  constructor(guardrails: Guardrails, scanner: TextScanner) {
    this.#guardrails = guardrails;
    this.#scanner = scanner;
  }

  async prepare(request: InferenceRequest, { signal }: StageContext): Promise<InferenceRequest> {
    const { canonical, verdict } = await this.#scan(request.canonical, signal);
    this.entries.push(...verdict.entries);
    if (verdict.block !== undefined) throw blocked(verdict.block);
    for (const item of canonical.items) this.#see(item);
    return canonical === request.canonical ? request : { ...request, canonical };
  }

  /** Scans parts that go into messages which were scanned without them. */
  async scan(parts: readonly ContentPart[]): Promise<readonly ContentPart[]> {
    const item: Item = { kind: 'message', role: 'user', content: parts };
    const { canonical, verdict } = await this.#scan(requestOf(item));
    this.entries.push(...verdict.entries);
    if (verdict.block !== undefined) throw blocked(verdict.block);
    const [scanned = item] = canonical.items;
    this.#see(scanned);
    return contentOf(scanned);
  }

  /** Scans arguments that the model wrote, before they leave for somebody else than the provider. */
  async scanArguments(input: JsonObject): Promise<JsonObject> {
    const item = {
      kind: 'call',
      form: 'function',
      callId: '',
      name: '',
      input: JSON.stringify(input),
    } as const;
    const { canonical, verdict } = await this.#scan(requestOf(item));
    this.entries.push(...verdict.entries);
    if (verdict.block !== undefined) throw blocked(verdict.block);
    const [scanned = item] = canonical.items;
    if (scanned === item || scanned.kind !== 'call') return input;
    const read = parseJson(scanned.input);
    return isObject(read) ? read : input;
  }

  #see(item: Item): void {
    this.#seen.set(item, item);
    for (const part of contentOf(item)) this.#seenParts.add(part);
  }

  /** What an item became that was scanned before, whole or part by part. */
  #seenAs(item: Item): Item | undefined {
    const content = contentOf(item);
    const isPieced = content.length > 0 && content.every((part) => this.#seenParts.has(part));
    return this.#seen.get(item) ?? (isPieced ? item : undefined);
  }

  /** Scans items that were not there before: what tools of the gateway added. */
  async fit(request: CanonicalRequest): Promise<CanonicalRequest> {
    const items: Item[] = [];
    let isChanged = false;
    for (const item of request.items) {
      const next = this.#seenAs(item) ?? (await this.#scanAdded(item));
      this.#seen.set(item, next);
      items.push(next);
      isChanged ||= next !== item;
    }
    return isChanged ? { ...request, items } : request;
  }

  /** An item that is blocked says so instead of what it said. */
  async #scanAdded(item: Item): Promise<Item> {
    const { canonical, verdict } = await this.#scan(requestOf(item));
    this.entries.push(...verdict.entries);
    const { block } = verdict;
    const next = block === undefined ? canonical.items[0] : withoutText(item, block.message);
    return next ?? item;
  }

  async #scan(request: CanonicalRequest, signal?: AbortSignal): Promise<Scanned> {
    const texts: ScannedText[] = [];
    const names: boolean[] = [];
    rewriteTexts(request, (text, { isUser, isName = false }) => {
      texts.push({ text, isUser, isName });
      names.push(isName);
      return text;
    });
    const { filters, scan } = this.#guardrails;
    const { hits, redacted, unrecognised } = await this.#scanner.scan(texts, scan, signal);
    const redactsName = redacted.some(([index]) => names[index] === true);
    const unredactable = redactsName ? hits.map(({ filter }) => filter) : [];
    const verdict = judgeScan(filters, hits, { unredactable: new Set(unredactable), unrecognised });
    if (verdict.block !== undefined || redacted.length === 0) return { canonical: request, verdict };
    const replaced = new Map(redacted);
    let index = -1;
    const canonical = rewriteTexts(request, (text) => {
      index += 1;
      return replaced.get(index) ?? text;
    });
    return { canonical, verdict };
  }
}

function contentOf(item: Item): readonly ContentPart[] {
  if (item.kind === 'message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}

function blocked({ message, patterns }: NonNullable<ScanVerdict['block']>): HeadgateError {
  return new HeadgateError('guardrail_blocked', message, {
    metadata: patterns.length === 0 ? {} : { patterns },
  });
}

/** An item of a tool with an error in place of its texts. */
function withoutText(item: Item, message: string): Item {
  if (item.kind === 'call_output') {
    return { ...item, output: [{ kind: 'text', text: `Error: ${message}` }], isError: true };
  }
  const { items } = rewriteTexts(requestOf(item), (text, { isName }) =>
    isName === true ? text : `Error: ${message}`,
  );
  return items[0] ?? item;
}

/** A request that holds one item and nothing else. */
function requestOf(item: Item): CanonicalRequest {
  return {
    items: [item],
    tools: [],
    toolChoice: { kind: 'auto' },
    sampling: {},
    format: { kind: 'text' },
    includeEncryptedReasoning: false,
    outputModalities: ['text'],
    truncation: 'disabled',
  };
}
