import { HeadgateError, publicMessage, toHeadgateError } from '../../core/errors.ts';
import type { HostedItemType } from '../../core/hosted.ts';
import type { HeardPiece } from '../../core/inner-turn.ts';
import type { CanonicalChat } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import { innerCanonical, messageOf } from '../inner-request.ts';
import {
  entryOf,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
  type ToolResult,
} from '../server-tool.ts';
import { type Picture, readPicture } from './read-picture.ts';

const type = 'service:image_generation';
const { definition, check } = toolFunction(
  type,
  'Makes a picture from a description. The user sees it; you get its address.',
  Type.Object({
    prompt: text({ minLength: 1, description: 'What the picture shows, with everything that matters.' }),
  }),
);
const mostPictures = 10;

/** What the tool needs of the gateway. */
export interface ImageGenerationMeans {
  /** The slug of the model that makes pictures where the request names none. */
  readonly model: () => string;
  /** Whether a model of that name exists, independent of the caller. */
  readonly isReady: () => boolean;
  /** Keeps a picture for a while; gives the address of its contents, undefined where there is no room for it. */
  readonly keep: (
    owner: Pick<ToolContext, 'accountId' | 'workspaceId'>,
    picture: Picture,
  ) => Promise<string | undefined>;
}

/** `service:image_generation`: pictures by a model that makes them (docs/spec/server-tools.md#image-generation). */
export function imageGenerationTool(means: ImageGenerationMeans): ServerTool {
  return {
    type,
    replaces: { kind: 'image_generation', item: 'image_generation_call', isReady: means.isReady },
    concerns: ({ canonical }) =>
      canonical.serviceTools?.some((tool) => tool.type === type) === true ||
      canonical.tools.some((tool) => tool.kind === 'hosted' && tool.tool === 'image_generation'),
    offer(request, { knowsModel }) {
      const entry = entryOf(request, type);
      // The provider makes them.
      if (entry === undefined) return [];
      const { model: named } = entry.settings;
      const model = typeof named === 'string' ? named : means.model();
      if (!knowsModel(model)) throw noModel(model, typeof named === 'string');
      return [new ImageOffer(means, model, entry.settings, entry.as)];
    },
  };
}

/** Pictures of one request, and how many there were. */
class ImageOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly idPrefix = 'ig_';
  readonly as: HostedItemType | undefined;
  readonly #means: ImageGenerationMeans;
  readonly #model: string;
  readonly #imageConfig: JsonObject;
  #made = 0;

  constructor(means: ImageGenerationMeans, model: string, settings: JsonObject, as?: HostedItemType) {
    const { model: _model, input_fidelity: _fidelity, input_image_mask: _mask, ...imageConfig } = settings;
    this.as = as;
    this.#means = means;
    this.#model = model;
    this.#imageConfig = imageConfig;
  }

  announce({ prompt }: JsonObject): JsonObject {
    return { ...(typeof prompt === 'string' && { prompt }), ...(this.as && { result: null }) };
  }

  async run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    try {
      const { prompt } = check(input, '');
      if (this.#made >= mostPictures)
        throw new HeadgateError('invalid_request', `A request may make ${mostPictures} pictures.`);
      this.#made += 1;
      const { images } = await context.innerTurn({
        models: [this.#model],
        canonical: this.#request(prompt),
        checkImages: (made) => readPicture(made.at(-1)),
        ...(context.request.stream && { hear: (piece) => tell(piece, context) }),
      });
      return await this.#show(prompt, readPicture(images.at(-1)), context);
    } catch (thrown) {
      const error = publicMessage(toHeadgateError(thrown));
      return {
        output: JSON.stringify({ status: 'error', error }),
        fields: { ...this.announce(input), error },
        // The item of a provider's tool has a status for it.
        ...(this.as && { status: 'failed' as const }),
      };
    }
  }

  #request(prompt: string): CanonicalChat {
    const isPlain = Object.keys(this.#imageConfig).length === 0;
    return {
      ...innerCanonical([messageOf('user', prompt)], {}),
      outputModalities: ['text', 'image'],
      ...(isPlain ? {} : { imageConfig: this.#imageConfig }),
    };
  }

  /** The model gets an address: pictures in its conversation would cost more than all the rest. */
  async #show(prompt: string, picture: Picture, context: ToolContext): Promise<ToolResult> {
    const { base64 } = picture;
    const kept = base64 === undefined ? picture.url : await this.#means.keep(context, picture);
    const output = JSON.stringify({
      status: 'ok',
      imageUrl: kept ?? `picture ${this.#made}, shown to the user`,
    });
    if (this.as !== undefined) return { output, fields: { prompt, result: base64 ?? kept ?? '' } };
    return {
      output,
      fields: {
        prompt,
        ...(base64 !== undefined && { imageB64: base64 }),
        ...(kept !== undefined && { imageUrl: kept, result: kept }),
      },
    };
  }
}

/** Shows a picture while it is made. */
function tell(piece: HeardPiece, { progress }: ToolContext): Promise<void> | undefined {
  if (piece.kind !== 'partial_image') return undefined;
  const { index, image } = piece;
  return progress('partial_image', { partial_image_b64: image, partial_image_index: index });
}

function noModel(model: string, isNamed: boolean): HeadgateError {
  const where = isNamed ? 'name another one' : 'see tools.image_generation.model in the configuration';
  const message = `tools: "${type}" needs a model that makes pictures, and "${model}" is not here; ${where}`;
  return new HeadgateError('invalid_request', message);
}
