import type { HostedItem } from '../../core/request.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { pictureType } from '../../util/picture-type.ts';
import { keptPieces, membersOf, readHostedUse } from '../hosted-use.ts';
import { textOf } from '../lenient.ts';
import { encodeInline, type PartContext } from './encode-content.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { Part } from './wire.ts';

/** Parts of the model's turn and of the user's turn after it. */
interface HostedTurns {
  readonly model: readonly Part[];
  readonly user: readonly Part[];
}

/** Parts the provider's own tools make. */
const hostedParts = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'inlineData'];
/**
 * A call of a hosted tool as parts. What this dialect's issuer ran goes back in its own parts, which the item carries
 * as `signature`; pictures and code of others have parts as well; the rest is told as a call and its response. Of a
 * search nobody sealed only the answer matters: told as a call, the model would call it again.
 */
export function encodeHostedItem(item: HostedItem, context: PartContext): HostedTurns {
  const members = membersOf(item);
  const own = ownParts(item);
  // One host knows no such parts.
  const foreign = context.host === 'vertex' && own?.some(({ toolCall }) => toolCall !== undefined) === true;
  if (own !== undefined) return { model: foreign ? [] : own, user: [] };
  switch (item.type) {
    case 'image_generation_call':
      return { model: pictureOf(members), user: [] };
    case 'code_interpreter_call':
      return { model: codeOf(members), user: [] };
    case 'web_search_call':
      return { model: [], user: [] };
    default:
      return toPair(item);
  }
}

/** Whether the item says for itself what this dialect's issuer ran. */
export function isOwnItem(item: HostedItem): boolean {
  return ownParts(item) !== undefined;
}

/** Parts as the decoder left them, see `code-run.ts`; a picture's bytes stand in `result` only. */
function ownParts(item: HostedItem): readonly Part[] | undefined {
  return keptPieces(item, geminiFormat, isHostedPart)?.map((part): Part => {
    const { inlineData } = part;
    if (inlineData === undefined || inlineData.data !== undefined) return part;
    return { ...part, inlineData: { ...inlineData, data: textOf(membersOf(item).result) } };
  });
}

function isHostedPart(value: unknown): value is Part {
  return isObject(value) && hostedParts.some((member) => isObject(value[member]));
}

function pictureOf({ result }: JsonObject): readonly Part[] {
  const base64 = textOf(result);
  return base64 === undefined ? [] : [encodeInline({ mediaType: pictureType(base64), base64 })];
}

function codeOf({ code, outputs }: JsonObject): readonly Part[] {
  const written = Array.isArray(outputs) ? outputs.filter(isObject) : [];
  const output = written.map(({ logs }) => textOf(logs) ?? '').join('');
  return [
    { executableCode: { language: 'PYTHON', code: textOf(code) ?? '' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output } },
  ];
}

function toPair(item: HostedItem): HostedTurns {
  const { name, callId: id, asked: args, outcome: response } = readHostedUse(item);
  const call: Part = { functionCall: { id, name, args } };
  const result: Part = { functionResponse: { id, name, response } };
  if (item.type.endsWith('_output')) return { model: [], user: [result] };
  return { model: [call], user: [result] };
}
