import type { Annotation, OutputLogprob } from '../../core/delta.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { calledName, textOf } from '../lenient.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { AnswerPart, Push, Run } from './run.ts';

/**
 * Code that the provider ran, its output and the pictures it drew. The item keeps the parts unchanged as JSON text in
 * `signature`, so that the same provider gets them back.
 */
class CodeRun implements Run {
  readonly #block: number;
  readonly #push: Push;
  readonly #parts: AnswerPart[] = [];
  readonly #outputs: object[] = [];
  #code: string | undefined;
  #result: AnswerPart['codeExecutionResult'];

  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
    push({ kind: 'hosted', block, type: 'code_interpreter_call', fields: { container_id: '' } });
  }

  take(part: AnswerPart): boolean {
    if (part.executableCode) return this.#result === undefined && this.#takeCode(part);
    if (part.codeExecutionResult) return this.#result === undefined && this.#takeResult(part);
    return this.#result !== undefined && this.#takePicture(part);
  }

  end(): void {
    const failed = this.#result?.outcome === 'OUTCOME_DEADLINE_EXCEEDED' ? true : undefined;
    this.#push({
      kind: 'result',
      block: this.#block,
      fields: {
        code: this.#code ?? '',
        container_id: '',
        outputs: this.#outputs,
        format: geminiFormat,
        signature: JSON.stringify(this.#parts),
      },
      failed,
    });
    this.#push({ kind: 'end', block: this.#block });
  }

  #takeCode(part: AnswerPart): boolean {
    if (this.#code !== undefined) return false;
    this.#parts.push(part);
    this.#code = textOf(part.executableCode?.code) ?? '';
    if (this.#code !== '') this.#push({ kind: 'fragment', block: this.#block, text: this.#code });
    return true;
  }

  #takeResult(part: AnswerPart): boolean {
    this.#parts.push(part);
    this.#result = part.codeExecutionResult;
    this.#push({ kind: 'stage', block: this.#block, stage: 'interpreting' });
    const logs = textOf(this.#result?.output);
    if (logs !== undefined) this.#outputs.push({ type: 'logs', logs });
    return true;
  }

  #takePicture(part: AnswerPart): boolean {
    const picture = readPicture(part);
    if (picture === undefined) return false;
    this.#parts.push(part);
    this.#outputs.push({ type: 'image', url: `data:${picture.mimeType};base64,${picture.data}` });
    return true;
  }
}

/**
 * Reads the parts of an answer in order. The signature of a call is emitted before it, as `signature` of the
 * preceding thoughts or of a separate reasoning item. The signature of a text is emitted after it as `encrypted`,
 * because it arrives last. `TurnBuilder` puts both back.
 */
export class PartReader {
  readonly #push: Push;
  readonly #sealsTexts: boolean;
  readonly #searches: SearchCall[] = [];
  /** Searches without a response so far, by id. */
  readonly #waiting = new Map<string, SearchCall[]>();
  #blocks = 0;
  #run: Run | undefined;
  #calls = 0;
  #hasOutput = false;

  /**
   * @param sealsTexts Whether the caller wants the signatures of texts; otherwise they would be empty items.
   */
  constructor(push: Push, sealsTexts: boolean) {
    this.#push = push;
    this.#sealsTexts = sealsTexts;
  }

  /** Whether the model called a client's function. */
  get called(): boolean {
    return this.#calls > 0;
  }

  /** Whether there was text, a call or a picture. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Whether the provider reported its searches as calls. */
  get searched(): boolean {
    return this.#searches.length > 0;
  }

  /** How many queries those calls contained. */
  get queries(): number {
    return this.#searches.reduce((sum, search) => sum + search.queries, 0);
  }

  /** The text that is still being written; undefined when something else came last. */
  get openText(): string | undefined {
    return this.#run instanceof TextRun ? this.#run.text : undefined;
  }

  /** Adds citations to the text that is still being written. */
  cite(annotations: readonly Annotation[]): void {
    if (!(this.#run instanceof TextRun)) return;
    for (const annotation of annotations) this.#run.cite(annotation);
  }

  /** A number for a block without a part. */
  nextBlock(): number {
    return this.#blocks++;
  }

  /** @param logprobs of the text in these parts. */
  read(parts: readonly AnswerPart[], logprobs?: readonly OutputLogprob[]): void {
    let weights = logprobs;
    for (const part of parts) {
      const spoken = isVisibleText(part);
      if (spoken) this.#hasOutput = true;
      this.#readPart(part, spoken ? weights : undefined);
      if (spoken) weights = undefined;
    }
  }

  /** Ends every open run, because the answer is over. */
  end(): void {
    this.#endRun();
    for (const search of this.#searches) search.settle();
  }

  #readPart(part: AnswerPart, logprobs: readonly OutputLogprob[] | undefined): void {
    if (this.#run?.take(part, logprobs)) return;
    if (part.functionCall) this.#call(part);
    else if (part.executableCode || part.codeExecutionResult) {
      this.#begin(new CodeRun(this.nextBlock(), this.#push), part);
    } else if (part.toolCall || part.toolResponse) this.#search(part);
    else if (part.inlineData) this.#show(part);
    else if (part.thought === true) this.#begin(new ThoughtRun(this.nextBlock(), this.#push), part);
    else if (isVisibleText(part)) this.#begin(new TextRun(this.nextBlock(), this.#push), part, logprobs);
    else if (textOf(part.thoughtSignature) !== undefined) {
      this.#endRun();
      this.#sealText(textOf(part.thoughtSignature));
    }
  }

  #call({ functionCall, thoughtSignature }: AnswerPart): void {
    const signature = textOf(thoughtSignature);
    if (signature !== undefined && this.#run instanceof ThoughtRun) this.#run.signNext(signature);
    else if (signature !== undefined) this.#sealNext(signature);
    this.#endRun();
    const block = this.nextBlock();
    const { id, name, args } = functionCall ?? {};
    this.#calls += 1;
    this.#hasOutput = true;
    this.#push({ kind: 'call', block, form: 'function', name: calledName(name), callId: textOf(id) });
    this.#push({ kind: 'arguments', block, text: JSON.stringify(isObject(args) ? args : {}) });
    this.#push({ kind: 'end', block });
  }

  #search(part: AnswerPart): void {
    const id = textOf((part.toolCall ?? part.toolResponse)?.id) ?? '';
    if (!beginsSearch(part)) {
      this.#waiting.get(id)?.shift()?.settle(part);
      return;
    }
    this.#endRun();
    const search = new SearchCall(this.nextBlock(), part, this.#push);
    this.#searches.push(search);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) this.#waiting.set(id, [search]);
    else waiting.push(search);
  }

  /** Emits a picture that the model made; pictures among its thoughts are drafts. */
  #show(part: AnswerPart): void {
    const picture = readPicture(part);
    if (part.thought === true || picture === undefined) return;
    this.#endRun();
    this.#hasOutput = true;
    const block = this.nextBlock();
    const signature = textOf(part.thoughtSignature);
    const own = [{ inlineData: { mimeType: picture.mimeType }, thoughtSignature: signature }];
    const seal = signature && { format: geminiFormat, signature: JSON.stringify(own) };
    this.#push({ kind: 'hosted', block, type: 'image_generation_call' });
    this.#push({ kind: 'stage', block, stage: 'generating' });
    this.#push({ kind: 'result', block, fields: { result: picture.data, ...seal } });
    this.#push({ kind: 'end', block });
  }

  #sealNext(signature: string): void {
    this.#endRun();
    const block = this.nextBlock();
    this.#push({ kind: 'seal', block, format: geminiFormat, signature });
    this.#push({ kind: 'end', block });
  }

  #sealText(encrypted: string | undefined): void {
    if (encrypted === undefined || !this.#sealsTexts) return;
    const block = this.nextBlock();
    this.#push({ kind: 'seal', block, format: geminiFormat, encrypted });
    this.#push({ kind: 'end', block });
  }

  #begin(run: Run, part: AnswerPart, logprobs?: readonly OutputLogprob[]): void {
    this.#endRun();
    this.#run = run;
    run.take(part, logprobs);
  }

  #endRun(): void {
    const run = this.#run;
    this.#run = undefined;
    run?.end();
    if (run instanceof TextRun) this.#sealText(run.signature);
  }
}

/** Whether a part is visible text. */
function isVisibleText({ text, thought }: AnswerPart): boolean {
  return typeof text === 'string' && text !== '' && thought !== true;
}

/** Thoughts; this dialect documents them as summaries, never as the raw reasoning. */
class ThoughtRun implements Run {
  readonly #block: number;
  readonly #push: Push;
  #own: string | undefined;
  #next: string | undefined;

  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
  }

  take(part: AnswerPart): boolean {
    if (part.thought !== true || part.inlineData) return false;
    const text = textOf(part.text);
    if (text !== undefined) this.#push({ kind: 'summary', block: this.#block, text });
    this.#own = textOf(part.thoughtSignature) ?? this.#own;
    return true;
  }

  /** Takes the signature of the call that follows these thoughts. */
  signNext(signature: string): void {
    this.#next = signature;
  }

  end(): void {
    const block = this.#block;
    if (this.#own !== undefined || this.#next !== undefined) {
      this.#push({ kind: 'seal', block, format: geminiFormat, encrypted: this.#own, signature: this.#next });
    }
    this.#push({ kind: 'end', block });
  }
}

/** A text in any number of pieces. Its signature comes with the last piece or with an empty one. */
class TextRun implements Run {
  readonly #block: number;
  readonly #push: Push;
  #text = '';
  #signature: string | undefined;

  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  get signature(): string | undefined {
    return this.#signature;
  }

  take(part: AnswerPart, logprobs?: readonly OutputLogprob[]): boolean {
    if (part.thought === true || typeof part.text !== 'string') return false;
    const signature = textOf(part.thoughtSignature);
    // A second signature belongs to a separate text.
    if (signature !== undefined && this.#signature !== undefined) return false;
    this.#signature = signature ?? this.#signature;
    if (part.text === '') return true;
    this.#text += part.text;
    this.#push({ kind: 'text', block: this.#block, text: part.text, ...(logprobs && { logprobs }) });
    return true;
  }

  cite(annotation: Annotation): void {
    this.#push({ kind: 'annotation', block: this.#block, annotation });
  }

  end(): void {
    this.#push({ kind: 'end', block: this.#block });
  }
}

/** Hosted tools whose calls have a public item. */
const shown: ReadonlySet<unknown> = new Set(['GOOGLE_SEARCH_WEB', 'GOOGLE_SEARCH_IMAGE', 'URL_CONTEXT']);

/** Whether a part calls a hosted tool with a public item. */
function beginsSearch({ toolCall }: AnswerPart): boolean {
  return shown.has(toolCall?.toolType);
}

/**
 * A search that the provider reports as a call and its response. The item keeps both parts unchanged as JSON text in
 * `signature`, because the dialect wants them back.
 */
class SearchCall {
  readonly #block: number;
  readonly #push: Push;
  readonly #call: AnswerPart;
  #settled = false;

  constructor(block: number, part: AnswerPart, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#call = part;
    push({ kind: 'hosted', block, type: 'web_search_call', id: textOf(part.toolCall?.id) });
    push({ kind: 'stage', block, stage: 'searching' });
  }

  /** How many queries the call contained; none where it opened a page. */
  get queries(): number {
    const { toolType, args } = this.#call.toolCall ?? {};
    return toolType === 'URL_CONTEXT' ? 0 : queriesOf(args).length;
  }

  /** Reports the outcome of the call, once; a call without a response continues in the next turn. */
  settle(response?: AnswerPart): void {
    if (this.#settled) return;
    this.#settled = true;
    const parts = response === undefined ? [this.#call] : [this.#call, response];
    const { toolType, args } = this.#call.toolCall ?? {};
    const fields = {
      action: actionOf(toolType, args),
      format: geminiFormat,
      signature: JSON.stringify(parts),
    };
    this.#push({ kind: 'result', block: this.#block, fields });
    this.#push({ kind: 'end', block: this.#block });
  }
}

function actionOf(toolType: unknown, args: unknown): JsonObject {
  const input = isObject(args) ? args : {};
  if (toolType === 'URL_CONTEXT')
    return { type: 'open_page', url: textsOf(input.urls ?? input.url)[0] ?? '' };
  const queries = queriesOf(args);
  return { type: 'search', query: queries[0] ?? '', queries };
}

function queriesOf(args: unknown): string[] {
  const input = isObject(args) ? args : {};
  return textsOf(input.queries ?? input.query).filter((query) => query !== '');
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
}

/** The picture in a part, in base64; undefined without one. */
function readPicture({ inlineData }: AnswerPart): { mimeType: string; data: string } | undefined {
  const mimeType = textOf(inlineData?.mimeType);
  const data = textOf(inlineData?.data);
  return mimeType?.startsWith('image/') && data !== undefined ? { mimeType, data } : undefined;
}
