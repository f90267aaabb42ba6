import type { Annotation, OutputLogprob } from '../../core/delta.ts';
import { isObject } from '../../util/json.ts';
import { calledName, textOf } from '../lenient.ts';
import { CodeRun } from './code-run.ts';
import { readPicture } from './read-picture.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { AnswerPart, Push, Run } from './run.ts';
import { beginsSearch, SearchCall } from './search-call.ts';
import { TextRun } from './text-run.ts';
import { ThoughtRun } from './thought-run.ts';

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
