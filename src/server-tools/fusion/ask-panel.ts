import { type HeadgateError, publicMessage, toHeadgateError } from '../../core/errors.ts';
import type { HeardPiece, InnerSource } from '../../core/inner-turn.ts';
import { messageOf } from '../inner-request.ts';
import type { ToolContext } from '../server-tool.ts';
import { type FusionSettings, fusionCanonical } from './fusion-settings.ts';

/** What a model of the panel says. */
export interface PanelAnswer {
  readonly model: string;
  readonly content: string;
  readonly sources: readonly InnerSource[];
}

/** Why a model of the panel says nothing. */
export interface PanelFailure {
  readonly model: string;
  readonly error: string;
  /** Undefined where no request failed. */
  readonly status: number | undefined;
  /** Whether there is no such model. */
  readonly isUnknown: boolean;
}

/** Asks every model of the panel at the same time, and shows what they write. Never fails. */
export function askPanel(
  prompt: string,
  settings: FusionSettings,
  context: ToolContext,
): Promise<readonly (PanelAnswer | PanelFailure)[]> {
  return Promise.all(settings.models.map((model) => askMember(model, prompt, settings, context)));
}

async function askMember(
  model: string,
  prompt: string,
  settings: FusionSettings,
  context: ToolContext,
): Promise<PanelAnswer | PanelFailure> {
  context.progress('panel.added', { model });
  try {
    const { text: content, sources } = await context.innerTurn({
      models: [model],
      canonical: fusionCanonical([messageOf('user', prompt)], settings, settings.inner),
      ...(context.request.stream && { hear: (piece) => tell(piece, model, context) }),
    });
    if (content.trim() === '') return fail(model, 'The answer is empty.', undefined, context);
    context.progress('panel.completed', { model, content });
    return { model, content, sources };
  } catch (thrown) {
    const error = toHeadgateError(thrown);
    return fail(model, publicMessage(error), error, context);
  }
}

function tell(piece: HeardPiece, model: string, { progress }: ToolContext) {
  if (piece.kind === 'partial_image' || piece.text === '') return undefined;
  const event = piece.kind === 'text' ? 'panel.delta' : 'panel.reasoning.delta';
  return progress(event, { model, delta: piece.text });
}

function fail(
  model: string,
  message: string,
  error: HeadgateError | undefined,
  { progress }: ToolContext,
): PanelFailure {
  const status = error?.status;
  progress('panel.failed', { model, error: message, ...(status !== undefined && { status_code: status }) });
  const isUnknown = error?.code === 'model_not_found' || error?.code === 'no_endpoints';
  return { model, error: message, status, isUnknown };
}
