import type { CallItem, CallOutputItem } from '../../core/request.ts';
import { encodeParts, type PartContext } from './encode-content.ts';
import type { ModelTraits } from './model-traits.ts';
import type { FunctionResponse, Part } from './wire.ts';

/**
 * The output of a client's function as parts: its text under `output`; pictures and documents inside the response or,
 * for models without that, beside it. A call without an output gets a placeholder, because the dialect wants as many
 * responses as calls.
 */
export function encodeFunctionResponse(
  call: CallItem,
  output: CallOutputItem | undefined,
  traits: ModelTraits,
  context: PartContext,
): Part[] {
  const parts = encodeParts(output?.output ?? [], context);
  const text = parts.map((part) => part.text ?? '').join('');
  const media = parts.filter((part) => part.text === undefined);
  const inside = traits.mediaInResponses ? media : [];
  const functionResponse: FunctionResponse = {
    id: traits.pairsById ? call.callId : undefined,
    name: call.name,
    response: output === undefined ? { status: 'no output yet' } : { output: text },
    parts: inside.length > 0 ? inside.map(toResponsePart) : undefined,
  };
  return [{ functionResponse }, ...(traits.mediaInResponses ? [] : media)];
}

function toResponsePart({ inlineData, fileData }: Part): NonNullable<FunctionResponse['parts']>[number] {
  return { inlineData, fileData };
}
