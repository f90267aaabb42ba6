import { HeadgateError } from '../../core/errors.ts';
import type { AnyRequest } from '../../core/inference-request.ts';
import { type CanonicalRequest, type ContentPart, chatOf, type Item, plainChat } from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import { FreeObjects, foreign, type TextVisitor } from '../../guardrails/free-objects.ts';
import type { GuardrailSource, Guardrails } from '../../guardrails/guardrail-directory.ts';
import { judgeScan, type ScanVerdict } from '../../guardrails/judge-scan.ts';
import { rewriteTexts } from '../../guardrails/rewrite-texts.ts';
import { TextCollection } from '../../guardrails/text-collection.ts';
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
    takesEveryKind: true,
    guardsCounts: true,
    begin(_request, caller) {
      const found = guardrails.of(caller);
      if (found === undefined || found.filters.length === 0) return undefined;
      return new InputScan(found, scanner, caller.account.id);
    },
  };
}

interface Scanned<Wanted extends CanonicalRequest> {
  readonly canonical: Wanted;
  /** The settings that were scanned beside it. */
  readonly settings: readonly JsonObject[];
  readonly verdict: ScanVerdict;
}

class InputScan implements StageRun {
  readonly #guardrails: Guardrails;
  readonly #scanner: TextScanner;
  /** The account of the request. */
  readonly #owner: string;
  /** Parts that were scanned for another stage. */
  readonly #seenParts = new WeakSet<ContentPart>();
  /** Items that were scanned, with what they became. */
  readonly #seen = new WeakMap<Item, Item>();
  readonly entries: PipelineEntry[] = [];

  constructor(guardrails: Guardrails, scanner: TextScanner, owner: string) {
    this.#guardrails = guardrails;
    this.#scanner = scanner;
    this.#owner = owner;
  }

  async prepare(request: AnyRequest, { signal }: StageContext): Promise<AnyRequest> {
    this.#refuseTokens(request.canonical);
    const { nativeSearch, plugins = [] } = request;
    // What plugins and searches put into the request later.
    const settings = [...(nativeSearch ? [nativeSearch] : []), ...plugins.map((one) => one.settings)];
    const scanned = await this.#scan(request.canonical, { signal, settings });
    const { canonical, verdict } = scanned;
    this.#report(verdict.entries);
    if (verdict.block !== undefined) throw blocked(verdict.block);
    for (const item of chatOf(canonical)?.items ?? []) this.#see(item);
    const isSame = scanned.settings.every((one, index) => one === settings[index]);
    if (isSame) return canonical === request.canonical ? request : { ...request, canonical };
    const ofPlugins = scanned.settings.slice(nativeSearch ? 1 : 0);
    return {
      ...request,
      canonical,
      ...(nativeSearch && { nativeSearch: scanned.settings[0] ?? nativeSearch }),
      ...(request.plugins && {
        plugins: plugins.map((one, index) => ({ ...one, settings: ofPlugins[index] ?? one.settings })),
      }),
    };
  }

  /** Nothing here knows the tokens of every model, and what cannot be read must not pass a filter. */
  #refuseTokens(request: CanonicalRequest): void {
    if (request.kind !== 'embedding') return;
    const place = request.inputs.findIndex((input) => typeof input !== 'string');
    if (place === -1) return;
    const enforcing = this.#guardrails.filters.some(
      ({ scan: { action } }) => action === 'block' || action === 'redact',
    );
    if (!enforcing) return;
    const message = `input: entry ${place} holds token numbers, which the guardrails of this request cannot read; send its text instead`;
    throw new HeadgateError('invalid_request', message);
  }

  #report(entries: readonly PipelineEntry[]): void {
    const known = this.entries.map((entry) => JSON.stringify(entry));
    this.entries.push(...entries.filter((entry) => !known.includes(JSON.stringify(entry))));
  }

  /** Scans parts that go into messages which were scanned without them. */
  async scan(parts: readonly ContentPart[]): Promise<readonly ContentPart[]> {
    const item: Item = { kind: 'message', role: 'user', content: parts };
    const { canonical, verdict } = await this.#scan(plainChat([item]));
    this.#report(verdict.entries);
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
    const { canonical, verdict } = await this.#scan(plainChat([item]));
    this.#report(verdict.entries);
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
    if (request.kind !== 'chat') return request;
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
    const { canonical, verdict } = await this.#scan(plainChat([item]));
    this.#report(verdict.entries);
    const { block } = verdict;
    const next = block === undefined ? canonical.items[0] : withoutText(item, block.message);
    return next ?? item;
  }

  async #scan<Wanted extends CanonicalRequest>(
    request: Wanted,
    {
      signal,
      settings = [],
    }: { readonly signal?: AbortSignal; readonly settings?: readonly JsonObject[] } = {},
  ): Promise<Scanned<Wanted>> {
    const collected = new TextCollection();
    rewriteAll(request, settings, collected);
    const { filters, scan } = this.#guardrails;
    const result = await this.#scanner.scan(collected.texts, scan, { owner: this.#owner, signal });
    const { hits, redacted, unrecognised } = result;
    const verdict = judgeScan(filters, hits, { unredactable: collected.unredactable(result), unrecognised });
    if (verdict.block !== undefined || redacted.length === 0)
      return { canonical: request, settings, verdict };
    return { ...rewriteAll(request, settings, collected.redacting(result, scan)), verdict };
  }
}

function rewriteAll<Wanted extends CanonicalRequest>(
  request: Wanted,
  settings: readonly JsonObject[],
  visitor: TextVisitor,
) {
  const free = new FreeObjects(visitor);
  return {
    canonical: rewriteTexts(request, visitor),
    settings: settings.map((one) => free.wire(one, foreign)),
  };
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
  const said = `Error: ${message}`;
  const { items } = rewriteTexts(plainChat([item]), {
    text: (text, { isName, isKey }) => (isName === true || isKey === true ? text : said),
    joined: (texts) => texts.map(() => said),
  });
  return items[0] ?? item;
}
