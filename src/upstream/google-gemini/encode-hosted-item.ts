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

/** The parts that the provider's own tools make. */
const hostedParts = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'inlineData'];
/**
 * Encodes a hosted call as parts. A call that this dialect's issuer ran goes back in its own parts, from the item's
 * `signature`. Pictures and code of other providers have parts as well. Everything else becomes a call and its
 * response. Of an unsigned search only the answer is kept: as a call, the model would repeat it.
 */
export function encodeHostedItem(item: HostedItem, context: PartContext): HostedTurns {
  const members = membersOf(item);
  const own = ownParts(item);
  // One host does not support such parts.
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

/** Whether the item itself carries what this dialect's issuer ran. */
export function isOwnItem(item: HostedItem): boolean {
  return ownParts(item) !== undefined;
}

/** Parts as the decoder stored them, see `part-reader.ts`; the bytes of a picture are in `result` only. */
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
  const { name, callId: id, input: args, outcome: response } = readHostedUse(item);
  const call: Part = { functionCall: { id, name, args } };
  const result: Part = { functionResponse: { id, name, response } };
  if (item.type.endsWith('_output')) return { model: [], user: [result] };
  return { model: [call], user: [result] };
}
