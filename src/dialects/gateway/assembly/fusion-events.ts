import type { JsonObject } from '../../../util/json.ts';
import type { ItemPlace } from './hosted-output.ts';

/** The events between the `added` and the `done` of a `service:fusion` item. */
export type FusionEventBody =
  | ({ type: 'response.fusion_call.in_progress' | 'response.fusion_call.completed' } & ItemPlace)
  | ({ type: 'response.fusion_call.panel.added'; model: string } & ItemPlace)
  | ({
      type: 'response.fusion_call.panel.delta' | 'response.fusion_call.panel.reasoning.delta';
      model: string;
      delta: string;
    } & ItemPlace)
  | ({ type: 'response.fusion_call.panel.completed'; model: string; content: string } & ItemPlace)
  | ({
      type: 'response.fusion_call.panel.failed';
      model: string;
      error: string;
      status_code?: number;
    } & ItemPlace)
  | ({
      type: 'response.fusion_call.analysis.in_progress';
      analyst_model: string;
      judge_model: string;
    } & ItemPlace)
  | ({ type: 'response.fusion_call.analysis.completed'; analysis: JsonObject } & ItemPlace);
