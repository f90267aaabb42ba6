import type { CanonicalChat, CanonicalRequest, ContentPart, EmbeddingInput, Item } from '../core/request.ts';
import { countTokens } from '../util/count-tokens.ts';
import { pictureSize } from '../util/picture-size.ts';

/** Characters that the counter reads completely. */
const pieceLength = 512;
/** Beyond this a text is sampled, because reading all of it would hold up others. */
const longText = 256 * 1024;
const tokensOfItem = 6;
const tokensOfTool = 24;
/** Tokens of the text about tools in general that a model gets when any tool is offered. */
const tokensOfTools = 350;
const largestPicture = 1_600;
const tokensOfPage = 2_000;
/** Bytes of a document that are taken for a page where its pages cannot be counted. */
const bytesOfPage = 40_000;
const margin = 1.1;

/**
 * About how many tokens a request's input is, rather too many (docs/spec/messages.md#counting-tokens): an agent that is
 * given too low a count overruns the window. More content never makes the count lower.
 */
export function upperBoundEstimate(request: CanonicalRequest): number {
  const tokens = request.kind === 'chat' ? inChat(request) : inInputs(request.inputs);
  return Math.ceil(tokens * margin);
}

function inInputs(inputs: readonly EmbeddingInput[]): number {
  return inputs.reduce<number>(
    (sum, input) => sum + (typeof input === 'string' ? tokensOf(input) : input.length),
    0,
  );
}

function inChat({ instructions, items, tools, format }: CanonicalChat): number {
  let tokens = tokensOf(instructions ?? '');
  for (const item of items) tokens += tokensOfItem + inItem(item);
  for (const tool of tools) tokens += tokensOfTool + tokensOf(JSON.stringify(tool));
  if (tools.length > 0) tokens += tokensOfTools;
  if (format.kind === 'json_schema') tokens += tokensOf(JSON.stringify(format.schema));
  return tokens;
}

function inItem(item: Item): number {
  switch (item.kind) {
    case 'message':
      return inParts(item.content);
    case 'call_output':
      return inParts(item.output);
    case 'agent_message':
      return inParts(item.content.filter((part): part is ContentPart => part.kind !== 'encrypted'));
    case 'call':
      return tokensOf(item.name) + tokensOf(item.input);
    case 'reasoning':
      return [...item.content, ...item.summary].reduce((sum, text) => sum + tokensOf(text), 0);
    case 'hosted':
    case 'service':
      return tokensOf(JSON.stringify(item.fields));
    case 'additional_tools':
      return tokensOf(JSON.stringify(item.tools));
    case 'configuration_update':
    case 'compaction':
      return 0;
  }
}

function inParts(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => sum + inPart(part), 0);
}

function inPart(part: ContentPart): number {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return tokensOf(part.text);
    case 'block':
      return tokensOf(part.text ?? JSON.stringify(part.block));
    case 'image':
      return inPicture(part.url);
    case 'file':
      return tokensOf(part.context ?? '') + tokensOf(part.filename ?? '') + inDocument(part.data);
    case 'audio':
    case 'video':
      return tokensOfPage;
  }
}

function inPicture(url = ''): number {
  const size = pictureSize(url);
  if (size === undefined) return largestPicture;
  return Math.min(largestPicture, Math.ceil((size.width * size.height) / 750));
}

function inDocument(data: string | undefined): number {
  if (data === undefined) return tokensOfPage;
  const bytes = Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
  if (/^data:text\//i.test(data)) return tokensOf(bytes.toString());
  const pages = bytes.toString('latin1').match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return tokensOfPage * Math.max(pages, Math.ceil(bytes.length / bytesOfPage), 1);
}

function tokensOf(text: string): number {
  if (text.length <= pieceLength || text.length > longText) return countTokens(text);
  let tokens = 0;
  for (let at = 0; at < text.length; at += pieceLength)
    tokens += countTokens(text.slice(at, at + pieceLength));
  return tokens;
}
