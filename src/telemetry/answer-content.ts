import type { AnswerPart, AnswerParts } from '../core/answer-part.ts';
import type { ContentNotes } from '../ports/request-trace.ts';

/** One part of what a model said, growing while it says it. */
interface SaidPart {
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly key: string;
  text: string;
  /** Of a call. */
  readonly name?: string;
  readonly id?: string;
}

/** What a model said in one turn. */
interface SaidTurn {
  /** The record of the turn; undefined where nothing was charged. */
  generationId?: string;
  readonly parts: SaidPart[];
}

/** Characters that are kept of the answer to one request. */
const mostCharacters = 512 * 1024;

/** Notes what was said in the answer to one request, turn by turn, as its client got it. */
export class AnswerContent implements ContentNotes {
  readonly turns: SaidTurn[] = [];
  /** What tools of the gateway were asked and answered, by the id of the call. */
  readonly tools = new Map<string, { readonly input: string; readonly output: string }>();
  /** Characters that found no room. */
  cut = 0;
  #state: 'unknown' | 'allowed' | 'forbidden' = 'unknown';
  #left = mostCharacters;
  #current: SaidTurn | undefined;

  /** Whether what was said may be sent anywhere. */
  get isAllowed(): boolean {
    return this.#state === 'allowed';
  }

  forbid(): void {
    this.#state = 'forbidden';
    this.turns.length = 0;
    this.tools.clear();
  }

  allow(): void {
    if (this.#state === 'unknown') this.#state = 'allowed';
  }

  read(parts: AnswerParts): void {
    if (this.#state === 'forbidden') return;
    for (const part of parts) this.#readOne(part);
  }

  #readOne(part: AnswerPart): void {
    switch (part.kind) {
      case 'opened':
        this.#current = { parts: [] };
        this.turns.push(this.#current);
        break;
      case 'text':
      case 'refusal':
        this.#add({ kind: 'text', key: `text ${part.block} ${part.part ?? 0}` }, part.text);
        break;
      case 'thinking':
      case 'summary':
        this.#add({ kind: 'reasoning', key: `${part.kind} ${part.block} ${part.part ?? 0}` }, part.text);
        break;
      case 'call': {
        const { name, callId: id } = part;
        this.#add({ kind: 'call', key: `call ${part.block}`, name, ...(id !== undefined && { id }) }, '');
        break;
      }
      case 'arguments':
        this.#add({ kind: 'call', key: `call ${part.block}`, name: '' }, part.text);
        break;
      case 'audio':
        this.#add({ kind: 'text', key: 'transcript' }, part.transcript ?? '');
        break;
      case 'executed':
        if (part.call !== undefined) this.#addTool(part.call);
        break;
      case 'settled':
        if (this.#current !== undefined) this.#current.generationId = part.generationId;
    }
  }

  #addTool({ id, input, output }: { readonly id: string; readonly input: string; readonly output: string }) {
    const fitted = this.#fitted(input);
    this.tools.set(id, { input: fitted, output: this.#fitted(output) });
    // The model called it in this turn; its name is in the notes of the tool.
    this.#current?.parts.push({ kind: 'call', key: `ran ${id}`, id, text: fitted });
  }

  #add(part: Omit<SaidPart, 'text'>, text: string): void {
    const parts = this.#current?.parts;
    if (parts === undefined) return;
    const known = parts.findLast(({ key }) => key === part.key);
    const fitted = this.#fitted(text);
    if (known === undefined) parts.push({ ...part, text: fitted });
    else known.text += fitted;
  }

  #fitted(text: string): string {
    const fitted = text.length <= this.#left ? text : text.slice(0, this.#left);
    this.#left -= fitted.length;
    this.cut += text.length - fitted.length;
    return fitted;
  }
}
