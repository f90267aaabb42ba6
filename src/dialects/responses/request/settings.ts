import type { CanonicalRequest } from '../../../core/request.ts';
import { readCommonSettings } from '../../gateway/common-settings.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ResponsesRequest } from './responses-request-schema.ts';

/** The members of a canonical request that each come from one or two members of the body. */
export type Settings = Omit<
  CanonicalRequest,
  'items' | 'tools' | 'toolChoice' | 'format' | 'verbosity' | 'reasoning' | 'prompt' | 'betas' | 'truncation'
>;

type Body = WithoutNulls<ResponsesRequest>;

const sealedReasoning = 'reasoning.encrypted_content';

/**
 * Reads the plain settings of a checked body (docs/spec/requests.md#fields).
 * @param hashEndUser Turns an end-user identifier into a pseudonym that may leave the gateway.
 * @throws HeadgateError `invalid_request` when `image_config` is nested too deep.
 */
export function readSettings(body: Body, hashEndUser: (raw: string) => string): Settings {
  const include = body.include?.filter((member) => member !== sealedReasoning);
  return {
    ...readCommonSettings(body, hashEndUser),
    instructions: body.instructions || undefined,
    maxOutputTokens: body.max_output_tokens,
    includeEncryptedReasoning: body.include?.includes(sealedReasoning) ?? false,
    include: include?.length ? [...new Set(include)] : undefined,
    outputModalities: body.modalities?.length ? [...new Set(body.modalities)] : ['text'],
  };
}
