import { textOf } from '../lenient.ts';
import { readPicture } from './read-picture.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { AnswerPart, Push, Run } from './run.ts';

/**
 * Code that the provider ran, its output and the pictures it drew. The item keeps the parts unchanged as JSON text in
 * `signature`, so that the same provider gets them back.
 */
export class CodeRun implements Run {
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
